"""Optimizers: how parameters move, given their gradients.

A step is a few lines of NumPy, in `update`, which changes the array of one parameter in place.
Mirrors https://docs.pytorch.org/docs/2.13/optim.html
"""

from collections import defaultdict
from functools import partial

import numpy as np

from . import _missing
from .errors import type_name
from .modes import enable_grad, no_grad, tell
from .nn.module import clear_grad
from .ops.registry import with_page
from .tensor import Tensor, make


class Optimizer:
    """The base class: parameters in groups that have options, and a state for each parameter.

    `params` are tensors, or dictionaries {"params": tensors, options}; `defaults` are the options
    of groups that do not give their own. Raises ValueError for a negative rate or momentum, and
    unless there are parameters, all of them leaves; TypeError for a tensor instead of a list.
    """

    def __init__(self, params, defaults):
        for name, called in (("lr", "learning rate"), ("momentum", "momentum value")):
            if defaults.get(name, 0) < 0:
                raise ValueError(f"Invalid {called}: {defaults[name]}")
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of "
                f"Tensors or dicts, but got {params.type()}"
            )
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        tell("optimizes", self)

    def add_param_group(self, param_group):
        """Add {"params": tensors, options of their own}.

        Raises ValueError unless the tensors are leaves, TypeError for anything else.
        """
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        for param in params:
            if not isinstance(param, Tensor):
                kind = f"but one of the params is {type_name(param)}"
                raise TypeError(f"optimizer can only optimize Tensors, {kind}")
        if not all(param.is_leaf for param in params):
            raise ValueError("can't optimize a non-leaf Tensor")
        if not set(params).isdisjoint(self._params()):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **param_group, "params": params})

    def __repr__(self):
        lines = []
        for k, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
            lines += [f"Parameter Group {k}", *options]
        return "\n".join([f"{type(self).__name__} (", *lines, ")"])

    def _params(self):
        return [param for group in self.param_groups for param in group["params"]]

    def step(self, closure=None):
        """Move all parameters with a gradient; `closure`, if given, computes the loss first."""
        with enable_grad():
            loss = None if closure is None else closure()
        tell("steps", self)
        with no_grad(), np.errstate(all="ignore"):
            for group in self.param_groups:
                for param in group["params"]:
                    if (grad := param.grad) is not None:
                        self.update(param, param._array, grad._array, group)
                        param._meta.version.count += 1
        return loss

    def update(self, param, x, g, group):
        """Change the array `x` of one parameter in place, given the array `g` of its gradient."""
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Take the `.grad` of all parameters away, or fill it with zeros."""
        for param in self._params():
            clear_grad(param, set_to_none)


class SGD(Optimizer):
    """Gradient descent, `x -= lr * g`, with momentum, plain or Nesterov's, or without.

    Raises ValueError for Nesterov's without momentum.
    """

    def __init__(self, params, lr=1e-3, momentum=0, weight_decay=0, nesterov=False):
        if nesterov and not momentum:
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = dict(lr=lr, momentum=momentum, weight_decay=weight_decay, nesterov=nesterov)
        super().__init__(params, options)

    def update(self, param, x, g, group):
        g = g + group["weight_decay"] * x if group["weight_decay"] else g
        if group["momentum"]:
            state = self.state[param]
            if not state:
                state["momentum_buffer"] = make(np.zeros_like(x))
            velocity = state["momentum_buffer"]._array
            velocity *= group["momentum"]
            velocity += g
            g = g + group["momentum"] * velocity if group["nesterov"] else velocity
        x -= group["lr"] * g


class Adam(Optimizer):
    """Gradient descent in which each number has its own step, from running means of g and g * g."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def update(self, param, x, g, group):
        g = g + group["weight_decay"] * x if group["weight_decay"] else g
        state, (beta1, beta2) = self.state[param], group["betas"]
        if not state:
            state.update(step=0, exp_avg=make(np.zeros_like(x)), exp_avg_sq=make(np.zeros_like(x)))
        state["step"] += 1
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * (g * g)
        # Both means start at 0, which makes them too small at first; this is corrected for.
        scale = np.sqrt(square) / (1 - beta2 ** state["step"]) ** 0.5 + group["eps"]
        x -= group["lr"] / (1 - beta1 ** state["step"]) * (mean / scale)


for _class in (Optimizer, SGD, Adam):
    with_page(_class, f"optim.{_class.__name__}")

__getattr__ = partial(_missing, "torch.optim")
