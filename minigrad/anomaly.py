"""Anomaly mode: name the operation whose backward rule first returned nan.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#anomaly-detection
"""

import numpy as np

from .errors import warn
from .modes import listeners
from .node_names import by_operand


class anomaly:
    """The state of anomaly mode; while it is on, a listener that hears what is recorded."""

    enabled = checks_nan = False

    @staticmethod
    def recorded(node, operands, result):
        """Store on a node the traceback of the line that recorded it."""
        import traceback  # slow to import, and needed in this mode only

        home = f"{__package__}/"
        frames = [f for f in traceback.extract_stack() if home not in f.filename.replace("\\", "/")]
        node.metadata["traceback_"] = "".join(traceback.format_list(frames))


class set_detect_anomaly:
    """Switch anomaly mode at once; after a `with` block, the mode is as before.

    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.set_detect_anomaly
    """

    def __init__(self, mode, check_nan=True):
        self._before = anomaly.enabled, anomaly.checks_nan
        anomaly.enabled, anomaly.checks_nan = mode, check_nan
        listeners[:] = [entry for entry in listeners if entry[1] is not anomaly]
        if mode:
            listeners.append((None, anomaly))

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        set_detect_anomaly(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A `with` block in which nan in a gradient is an error that names the operation.

    The backward pass that finds one raises RuntimeError; `check_nan=False` looks for none.
    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.detect_anomaly
    """

    def __init__(self, check_nan=True):
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging."
        )
        self._check_nan = check_nan

    def __enter__(self):
        super().__init__(True, self._check_nan)


def checked_vjp(node, g, create_graph):
    """`node._vjp` in anomaly mode: raises RuntimeError for nan, and warns of where it arose."""
    try:
        grads = node._vjp(g, create_graph)
        for i, grad in enumerate(by_operand(node, grads)):
            arrays = [getattr(g, "_array", g) for g in (grad if isinstance(grad, list) else [grad])]
            if anomaly.checks_nan and any(a is not None and np.isnan(a).any() for a in arrays):
                raise RuntimeError(
                    f"Function '{type(node).name(node)}' returned nan values in its {i}th output."
                )
        return grads
    except Exception:
        warn(f"Error detected in {type(node).name(node)}. {_where_recorded(node)}")
        raise


def _where_recorded(node):
    """Where in the program a node was recorded, if that is known."""
    where = node.metadata.get("traceback_")
    if where:
        return f"Traceback of forward call that caused the error:\n{where}"
    return (
        "No forward pass information available. Enable detect anomaly during forward pass for "
        "more information."
    )
