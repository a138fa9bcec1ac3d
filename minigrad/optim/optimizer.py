"""Optimizers: how parameters move, given their gradients.

Each is a few lines of NumPy in `update`, which changes the array of one parameter in place.
Mirrors https://docs.pytorch.org/docs/2.13/optim.html
"""

import copy
import functools
import warnings
from collections import defaultdict
from itertools import chain

import numpy as np

from .. import dtypes
from ..grad_mode import enable_grad
from ..namespace import mirror
from ..nn.module import clear_grad, typename
from ..tensor import Tensor, make


class Optimizer:
    """The base class: parameter groups, the state kept for each parameter, `step`, `zero_grad`.

    `params` are tensors, pairs (name, tensor), or dictionaries {"params": ..., options}; `defaults` the
    options for groups that do not give their own. TypeError for a single tensor or what is no tensor,
    ValueError for an empty list and what is no leaf. Mirrors
    https://docs.pytorch.org/docs/2.13/optim.html#torch.optim.Optimizer
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {typename(params)}"
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls):
        if "step" in vars(cls):  # a way to step of its own: schedulers ask whether there was a step
            step = cls.step

            @functools.wraps(step)
            def counted(self, *args, **kwargs):
                self._opt_called = True
                return step(self, *args, **kwargs)

            cls.step = counted

    def add_param_group(self, param_group):
        """Add parameters that are to be optimized with options of their own.

        TypeError for what is no dictionary of tensors, ValueError for parameters that are no leaves or
        that another group has.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering "
                "of tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        if names and len(names) < len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        param_group["params"] = params = [p[1] if isinstance(p, tuple) else p for p in params]
        if names:
            param_group["param_names"] = names
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + typename(param)
                )
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(set(params)) < len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=3,
            )
        for group in self.param_groups:
            if ("param_names" in group) != bool(names):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with' if names else 'without'} names to the optimizer"
                )
            if not set(group["params"]).isdisjoint(params):
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def step(self, closure=None):
        """Move every parameter that has a gradient; `closure`, if given, computes the loss first.

        Returns what `closure` returned. The steps are not recorded.
        """
        self._opt_called = True  # schedulers ask
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for param in group["params"]:
                meta = param._meta
                if meta is not None and meta.grad is not None:
                    grad = meta.grad._array
                    self.update(param, param._array, -grad if group["maximize"] else grad, group)
                    meta.version.n += 1
        return loss

    def update(self, param, x, g, group):
        """Change the array `x` of one parameter in place, given the array `g` of its gradient."""
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Take the `.grad` of all parameters away, or fill it with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def state_dict(self):
        """The state and the options, with parameters numbered: {"state": ..., "param_groups": ...}."""
        numbers, groups = {}, []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(param)]: held for param, held in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Take over the state and options of another optimizer's `state_dict()`.

        ValueError if its groups do not have the sizes of this one's.
        """
        groups, saved = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in saved]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        numbers = chain.from_iterable(g["params"] for g in saved)
        params = dict(zip(numbers, chain.from_iterable(g["params"] for g in groups)))
        self.state = defaultdict(dict)
        for number, held in state_dict["state"].items():
            param = params[number]
            self.state[param] = {
                name: _like(param, value) if name != "step" else value for name, value in held.items()
            }
        for group, new in zip(groups, saved):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.param_groups = saved

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for name in sorted(group):
                text += f"    {name}: {group[name]}\n" if name != "params" else ""
        return text + ")"


def _like(param, value):
    """A saved tensor in the parameter's dtype."""
    return value.to(param.dtype) if isinstance(value, Tensor) else value


def _checked(options):
    """The options of an optimizer, refused where they make no sense.

    How a step is carried out (`foreach`, `fused`, `capturable`) makes no difference here.
    """
    lr = options["lr"]
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    for name, what in (("lr", "learning rate"), ("eps", "epsilon value"),
                       ("momentum", "momentum value"), ("lr_decay", "lr_decay value"),
                       ("weight_decay", "weight_decay value"), ("alpha", "alpha value")):  # fmt: skip
        if options.get(name, 0) < 0.0:
            raise ValueError(f"Invalid {what}: {options[name]}")
    if options["differentiable"]:
        raise NotImplementedError("minigrad's optimizers do not record their steps")
    if options.get("fused") and options["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    return options


def _check_betas(betas):
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def _decayed(g, x, group):
    """The gradient with weight decay: `weight_decay * x` added."""
    return g if group["weight_decay"] == 0 else g + _number(group["weight_decay"]) * x


def _number(value):
    return value.item() if isinstance(value, Tensor) else value


class SGD(Optimizer):
    """Gradient descent, optionally with momentum: `x -= lr * g`.

    `param_groups` hold lr, momentum, dampening, weight_decay, nesterov and maximize. ValueError for
    negative ones, and nesterov without momentum or with dampening.
    """

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
        maximize=False, foreach=None, differentiable=False, fused=None,
    ):  # fmt: skip
        defaults = dict(
            lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
            nesterov=nesterov, maximize=maximize, foreach=foreach, differentiable=differentiable,
            fused=fused,
        )  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        g = _decayed(g, x, group)
        momentum = group["momentum"]
        if momentum != 0:
            state = self.state[param]
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = make(g.copy())
            else:
                velocity._array *= momentum
                velocity._array += (1 - group["dampening"]) * g
            g = g + momentum * velocity._array if group["nesterov"] else velocity._array
        x -= _number(group["lr"]) * g


class Adam(Optimizer):
    """Gradient descent with a step of its own for each number, from running means of g and g * g.

    ValueError for a negative rate or weight decay, or betas outside of 0 to 1.
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False, fused=None,
        decoupled_weight_decay=False,
    ):  # fmt: skip
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
            maximize=maximize, foreach=foreach, capturable=capturable,
            differentiable=differentiable, fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        )  # fmt: skip
        _check_betas(betas)
        if not (isinstance(betas[0], float) and isinstance(betas[1], float)):
            raise ValueError("betas must be either both floats or both Tensors")
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        state = self.state[param]
        if not state:
            state["step"] = make(np.zeros((), dtypes.get_default_dtype().numpy))
            for name in ("exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"]):
                state[name] = make(np.zeros_like(x))
        lr, (beta1, beta2) = _number(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"] and group["weight_decay"] != 0:
            x *= 1 - lr * group["weight_decay"]
        else:
            g = _decayed(g, x, group)
        state["step"] += 1
        step = state["step"].item()
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * (g * g)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]._array
            square = np.maximum(largest, square, out=largest)
        # Both means start at 0, which makes them too small at first; this is corrected for.
        scale = np.sqrt(square) / (1 - beta2**step) ** 0.5 + group["eps"]
        x -= lr / (1 - beta1**step) * (mean / scale)


class AdamW(Adam):
    """Adam in which weight decay acts on the parameters alone, not through the means."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
        maximize=False, foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip


class RMSprop(Optimizer):
    """Gradient descent with steps divided by the root of a running mean of g * g."""

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
        capturable=False, foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        defaults = dict(
            lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered,
            weight_decay=weight_decay, capturable=capturable, foreach=foreach, maximize=maximize,
            differentiable=differentiable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        state, alpha = self.state[param], group["alpha"]
        if not state:
            state["step"] = make(np.zeros((), dtypes.get_default_dtype().numpy))
            for name in ("square_avg", *["momentum_buffer"] * (group["momentum"] > 0),
                         *["grad_avg"] * group["centered"]):  # fmt: skip
                state[name] = make(np.zeros_like(x))
        state["step"] += 1
        g = _decayed(g, x, group)
        square = state["square_avg"]._array
        square *= alpha
        square += (1 - alpha) * (g * g)
        variance = square
        if group["centered"]:
            mean = state["grad_avg"]._array
            mean += (1 - alpha) * (g - mean)
            variance = square - mean * mean
        g = g / (np.sqrt(variance) + group["eps"])
        if group["momentum"] > 0:
            velocity = state["momentum_buffer"]._array
            velocity *= group["momentum"]
            velocity += g
            g = velocity
        x -= _number(group["lr"]) * g


mirror(vars(Optimizer), "generated/torch.optim.Optimizer.{}.html")
