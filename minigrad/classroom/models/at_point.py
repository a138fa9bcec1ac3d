"""What the models of a function at one input have in common: its x, y, v and x.grad."""

from ..typed_numbers import read_array, read_number
from .base import action, index_in
from .example_model import ExampleModel
from .point import with_entry


class ModelAtPoint(ExampleModel):
    """A model that shows y = f(x) at one x, weighed by one v.

    `_shown` holds what belongs together: `.point` (see `point.py`), `.v` and `.input_grad`.
    """

    # --- what a learner does ---------------------------------------------------------------------

    @action
    def set_upstream(self, value):
        """Set all of v: text as typed, nested lists, an array or a tensor.

        Another shape than the output's is refused in PyTorch's own words.
        """
        self._edit("upstream", lambda: {"v": read_array(value)})

    @action
    def set_upstream_entry(self, index, value):
        """Set one weight of v; index as in Python, (0, 1) or 2."""
        index = self._of_output(index, "upstream")
        self._edit(
            ("upstream", index), lambda: {"v": with_entry(self._shown.v, index, read_number(value))}
        )

    @action
    def set_input(self, value):
        """Set all of x; its shape may change, if the function allows it."""
        self._edit("input", lambda: {"x": read_array(value)})

    def _edit(self, place, change):
        """Apply a change of x or v as a whole, or refuse it as a whole."""
        raise NotImplementedError

    # --- what it shows ---------------------------------------------------------------------------

    @property
    def preset(self):
        """The example that is loaded: its names, formula and first values."""
        return self._shown.point.preset

    @property
    def input(self):
        """x, as nested lists."""
        return self._shown.point.x.tolist()

    @property
    def output(self):
        """y = f(x), as nested lists, computed by minigrad."""
        return self._shown.point.y.tolist()

    @property
    def input_shape(self):
        return self._shown.point.x.shape

    @property
    def output_shape(self):
        return self._shown.point.y.shape

    @property
    def upstream(self):
        """v, the upstream gradient: one weight for each output, as nested lists."""
        return self._shown.v.tolist()

    @property
    def input_grad(self):
        """x.grad = v\u00b7J after y.backward(v), by minigrad, as nested lists."""
        return self._shown.input_grad.tolist()

    @property
    def jacobian(self):
        """\u2202y/\u2202x as [output][input], both counted row by row: a row for each one-hot v."""
        return self._shown.point.jacobian.tolist()

    def _of_output(self, index, place):
        return index_in(index, self.output_shape, place)

    def _of_input(self, index, place):
        return index_in(index, self.input_shape, place)
