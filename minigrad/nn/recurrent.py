"""Recurrent networks: cells that carry a state along, and layers that run them over sequences.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#recurrent-layers
"""

import math
import numbers
import warnings

import numpy as np

from ..ops import FUNCTIONS
from ..ops.registry import wrong_type
from ..tensor import Tensor, make
from . import functional as F
from . import init
from .module import Module
from .parameter import blank

# -- one step: from input and state to the next state -----------------------------------------------


def tanh_step(x, state, w_ih, w_hh, b_ih, b_hh):
    """h' = tanh(W x + b + W h + b): state (h,)."""
    return ((F.linear(x, w_ih, b_ih) + F.linear(state[0], w_hh, b_hh)).tanh(),)


def relu_step(x, state, w_ih, w_hh, b_ih, b_hh):
    """h' = relu(W x + b + W h + b): state (h,)."""
    return ((F.linear(x, w_ih, b_ih) + F.linear(state[0], w_hh, b_hh)).relu(),)


def lstm_step(x, state, w_ih, w_hh, b_ih, b_hh):
    """Gates i, f, g, o; c' = f c + i g, h' = o tanh(c'): state (h, c)."""
    h, c = state
    i, f, g, o = (F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x, state, w_ih, w_hh, b_ih, b_hh):
    """Gates r, z; n = tanh(W x + b + r (W h + b)), h' = (1 - z) n + z h: state (h,)."""
    (h,) = state
    xr, xz, xn = F.linear(x, w_ih, b_ih).chunk(3, -1)
    hr, hz, hn = F.linear(h, w_hh, b_hh).chunk(3, -1)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    n = (xn + r * hn).tanh()
    return ((h - n) * z + n,)


def _reset(module):
    """All parameters uniform between -1 and 1 over the square root of `hidden_size`."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


# -- cells ----------------------------------------------------------------------------------------


class _Cell(Module):
    gates, states = 1, 1
    step = None

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)),
                            ("bias_ih", (rows,)), ("bias_hh", (rows,))):  # fmt: skip
            made = blank(shape, dtype, device) if bias or name.startswith("weight") else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new numbers."""
        _reset(self)

    def forward(self, input, hx=None):
        """The next state for an input and a state (zeros if not given).

        ValueError for more than two dimensions, RuntimeError for other lengths, TypeError for a tensor
        where two states belong.
        """
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        state = hx if self.states > 1 or hx is None else (hx,)
        for i, h in enumerate(() if state is None else state):
            if h.ndim not in (1, 2):
                which = f"hx[{i}]" if self.states > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {h.ndim}D instead")
        if isinstance(state, Tensor):
            raise wrong_type("lstm_cell", "hx", 2, state, "tuple of Tensors")
        single = input.ndim == 1
        x = input.unsqueeze(0) if single else input
        if state is None:
            state = (make(np.zeros((x.size(0), self.hidden_size), x._array.dtype)),) * self.states
        elif single:
            state = [h.unsqueeze(0) for h in state]
        self._check(x, state)
        found = self.step(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        found = tuple([h.squeeze(0) for h in found]) if single else found
        return found if self.states > 1 else found[0]

    def _check(self, x, state):
        if x.size(1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.size(1)} expected {self.input_size}"
            )
        for h, which in zip(state, ("0", "1")):
            if h.size(0) != x.size(0):
                raise RuntimeError(
                    f"Input batch size {x.size(0)} doesn't match hidden{which} batch size {h.size(0)}"
                )
            if h.size(1) != self.hidden_size:
                raise RuntimeError(
                    f"hidden{which} has inconsistent hidden_size: got {h.size(1)}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias is True else f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"


class RNNCell(_Cell):
    """h' = tanh(W x + b + W h + b): input (N, input_size), state (N, hidden_size).

    A result (N, hidden_size). RuntimeError for other lengths, ValueError for more dimensions.
    """

    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None
    ):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def step(self, *args):
        """One step of the cell; RuntimeError for a nonlinearity that is not known."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return (tanh_step if self.nonlinearity == "tanh" else relu_step)(*args)


class LSTMCell(_Cell):
    """Long short-term memory: input (N, input_size), states h and c (N, hidden_size).

    A pair of results (N, hidden_size). RuntimeError for other lengths, ValueError for more dimensions.
    """

    gates, states, step = 4, 2, staticmethod(lstm_step)


class GRUCell(_Cell):
    """Gated recurrent unit: input (N, input_size), state (N, hidden_size).

    A result (N, hidden_size). RuntimeError for other lengths, ValueError for more dimensions.
    """

    gates, step = 3, staticmethod(gru_step)


# -- layers ---------------------------------------------------------------------------------------


class RNNBase(Module):
    """What `RNN`, `LSTM` and `GRU` share: layers of cells, run over a sequence.

    Input (L, N, input_size), or (N, L, input_size) with `batch_first`, or (L, input_size). The output
    holds the last layer's states, (L, N, hidden_size); the last states of all layers come beside it,
    (num_layers, N, hidden_size). `bidirectional` runs every layer both ways, which doubles these
    numbers. ValueError for sizes that are not positive or a `dropout` outside of 0 to 1, TypeError for
    sizes that are no int, NotImplementedError for `proj_size`.
    """

    gates, states = 1, 1
    step = staticmethod(tanh_step)

    def __init__(
        self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
        bidirectional=False, proj_size=0, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
                f"expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={num_layers}",
                stacklevel=2,
            )
        for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        for name, value in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size:
            raise NotImplementedError("minigrad's recurrent layers have no proj_size")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        ways = 2 if bidirectional else 1
        self._runs = []  # for each layer and way the end of the names of its parameters
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * ways
            for way in range(ways):
                end, rows = f"_l{layer}" + "_reverse" * way, self.gates * hidden_size
                self._runs.append(end)
                setattr(self, f"weight_ih{end}", blank((rows, width), dtype, device))
                setattr(self, f"weight_hh{end}", blank((rows, hidden_size), dtype, device))
                if bias:
                    setattr(self, f"bias_ih{end}", blank((rows,), dtype, device))
                    setattr(self, f"bias_hh{end}", blank((rows,), dtype, device))
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new numbers."""
        _reset(self)

    def flatten_parameters(self):
        """Accepted; makes no difference."""

    @property
    def all_weights(self):
        """The parameters of each layer and way, a list of lists."""
        return [[getattr(self, n) for n in self._names(end) if n] for end in self._runs]

    def _names(self, end):
        biases = (f"bias_ih{end}", f"bias_hh{end}") if self.bias else (None, None)
        return (f"weight_ih{end}", f"weight_hh{end}", *biases)

    def forward(self, input, hx=None):
        """Output and last states, for an input and the first states (zeros if not given).

        ValueError for another number of dimensions, RuntimeError for other lengths.
        """
        if input.dim() not in (2, 3):
            tail = "1D tensor" if type(self) is RNN and input.ndim == 1 else f"{input.ndim}D"
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {tail} instead"
            )
        single, along = input.ndim == 2, 1 if self.batch_first else 0
        x = input.unsqueeze(1) if single else input.transpose(0, 1) if self.batch_first else input
        if x.size(-1) != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {x.size(-1)}"
            )
        start = self._start(x, hx, single)
        out, last = self._run(x, start)
        if single:
            out = out.squeeze(1)
        elif along:
            out = out.transpose(0, 1)
        last = [h.squeeze(1) for h in last] if single else last
        return out, tuple(last) if self.states > 1 else last[0]

    def _start(self, x, hx, single):
        """The first states: for each of them a tensor (layers and ways, N, hidden_size)."""
        shape = (len(self._runs), x.size(1), self.hidden_size)
        if hx is None:
            return [make(np.zeros(shape, x._array.dtype))] * self.states
        hx = hx if self.states > 1 else (hx,)
        self._need_dims(hx, 2 if single else 3)
        if single:
            hx = [h.unsqueeze(1) for h in hx]
        for i, h in enumerate(hx):
            which = f"hidden[{i}]" if self.states > 1 else "hidden"
            if h._array.shape != shape:
                raise RuntimeError(f"Expected {which} size {shape}, got {list(h.shape)}")
        return hx

    def _need_dims(self, hx, n):
        if any(h.ndim != n for h in hx):
            dims = ", ".join(f"{h.ndim}-D" for h in hx)
            what, found = ("hx and cx", f"({dims}) tensors") if self.states > 1 else ("hx", f"{dims} tensor")
            kind = "batched" if n == 3 else "unbatched"
            raise RuntimeError(f"For {kind} {n}-D input, {what} should also be {n}-D but got {found}")

    def _run(self, x, start):
        """The states of the last layer along the sequence, and the last ones of all layers."""
        stack, cat = FUNCTIONS["stack"], FUNCTIONS["cat"]
        ways, last = 2 if self.bidirectional else 1, []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = F.dropout(x, self.dropout, self.training)
            steps, sides = x.unbind(0), []
            for way in range(ways):
                number = layer * ways + way
                weights = [n and getattr(self, n) for n in self._names(self._runs[number])]
                state, outs = tuple([h[number] for h in start]), []
                for step in steps[::-1] if way else steps:
                    state = self.step(step, state, *weights)
                    outs.append(state[0])
                sides.append(stack(outs[::-1] if way else outs))
                last.append(state)
            x = sides[0] if ways == 1 else cat(sides, -1)
        return x, [stack(list(states)) for states in zip(*last)]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("num_layers", 1), ("bias", True), ("batch_first", False),
                            ("dropout", 0), ("bidirectional", False)):  # fmt: skip
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """Layers of h' = tanh(W x + b + W h + b), or with relu, over a sequence; shapes as in `RNNBase`.

    ValueError for another nonlinearity than "tanh" and "relu". Input (L, N, input_size), output (L, N,
    hidden_size) and last states (num_layers, N, hidden_size).
    """

    def __init__(
        self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True,
        batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None,
    ):  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)  # fmt: skip
        self.nonlinearity = nonlinearity
        self.step = tanh_step if nonlinearity == "tanh" else relu_step


class LSTM(RNNBase):
    """Layers of long short-term memory over a sequence; the state is a pair (h, c).

    Input (L, N, input_size), output (L, N, hidden_size), last states h and c (num_layers, N,
    hidden_size); more in `RNNBase`.
    """

    gates, states, step = 4, 2, staticmethod(lstm_step)


class GRU(RNNBase):
    """Layers of gated recurrent units over a sequence; shapes as in `RNNBase`.

    Input (L, N, input_size), output (L, N, hidden_size) and last states (num_layers, N, hidden_size).
    """

    gates, step = 3, staticmethod(gru_step)
