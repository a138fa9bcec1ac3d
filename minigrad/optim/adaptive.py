"""Optimizers with a step of its own for each number, besides Adam and RMSprop.

Mirrors https://docs.pytorch.org/docs/2.13/optim.html#algorithms
"""

import numpy as np

from .. import dtypes
from ..tensor import make
from .optimizer import Optimizer, _check_betas, _checked, _decayed, _number


def _zero():
    """A 0-d tensor that counts steps."""
    return make(np.zeros((), dtypes.get_default_dtype().numpy))


class _Adaptive(Optimizer):
    """An optimizer that keeps arrays, and the number of steps, for each parameter."""

    zeros = ()  # the names of what begins as zeros in the parameter's shape

    def begin(self, param, x, group):
        """The state before a parameter's first step: tensors by name."""
        return {name: make(np.zeros_like(x)) for name in self.zeros}

    def kept(self, param, x, group):
        """The state of a parameter after counting one more step, and the number of that step."""
        state = self.state[param]
        if not state:
            state |= {"step": _zero(), **self.begin(param, x, group)}
        state["step"] += 1
        return state, state["step"].item()


class Adagrad(_Adaptive):
    """Gradient descent with steps divided by the root of the sum of all g * g so far."""

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
        foreach=None, *, maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        defaults = dict(
            lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, foreach=foreach,
            maximize=maximize, differentiable=differentiable, fused=fused,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))
        for group in self.param_groups:
            for param in group["params"]:
                total = np.full_like(param._array, initial_accumulator_value)
                self.state[param] = {"step": _zero(), "sum": make(total)}

    def update(self, param, x, g, group):
        state, step = self.kept(param, x, group)
        g = _decayed(g, x, group)
        total = state["sum"]._array
        total += g * g
        lr = _number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        x -= lr * (g / (np.sqrt(total) + group["eps"]))


class Adadelta(_Adaptive):
    """Gradient descent with steps as large as recent ones were, relative to recent gradients.

    ValueError for a `rho` outside of 0 to 1.
    """

    zeros = ("square_avg", "acc_delta")

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        defaults = dict(
            lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
            capturable=capturable, foreach=foreach, differentiable=differentiable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        state, _ = self.kept(param, x, group)
        rho, eps, g = group["rho"], group["eps"], _decayed(g, x, group)
        square, moved = state["square_avg"]._array, state["acc_delta"]._array
        square *= rho
        square += (1 - rho) * (g * g)
        delta = np.sqrt(moved + eps) / np.sqrt(square + eps) * g
        moved *= rho
        moved += (1 - rho) * (delta * delta)
        x -= _number(group["lr"]) * delta


class Adamax(_Adaptive):
    """Adam with the largest recent gradient in place of the mean of g * g."""

    zeros = ("exp_avg", "exp_inf")

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *,
        maximize=False, differentiable=False, capturable=False,
    ):  # fmt: skip
        _check_betas(betas)
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
            maximize=maximize, differentiable=differentiable, capturable=capturable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        state, step = self.kept(param, x, group)
        (beta1, beta2), g = group["betas"], _decayed(g, x, group)
        mean, largest = state["exp_avg"]._array, state["exp_inf"]._array
        mean += (1 - beta1) * (g - mean)
        np.maximum(largest * beta2, np.abs(g) + group["eps"], out=largest)
        x -= _number(group["lr"]) / (1 - beta1**step) * (mean / largest)


class _TwoMeans(_Adaptive):
    """What NAdam and RAdam share: running means of g and of g * g."""

    zeros = ("exp_avg", "exp_avg_sq")

    def means(self, state, x, g, group):
        """The gradient after weight decay, and both means with it added."""
        beta1, beta2 = group["betas"]
        if group["decoupled_weight_decay"] and group["weight_decay"] != 0:
            x *= 1 - _number(group["lr"]) * group["weight_decay"]
        else:
            g = _decayed(g, x, group)
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * (g * g)
        return g, mean, square


class NAdam(_TwoMeans):
    """Adam with Nesterov's momentum.

    ValueError for betas outside of 0 to 1, or a negative `momentum_decay`.
    """

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
        differentiable=False,
    ):  # fmt: skip
        _check_betas(betas)
        if momentum_decay < 0.0:
            raise ValueError(f"Invalid momentum_decay value: {momentum_decay}")
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach,
            capturable=capturable, differentiable=differentiable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def begin(self, param, x, group):
        product = make(np.ones((), dtypes.get_default_dtype().numpy))
        return {"mu_product": product, **super().begin(param, x, group)}

    def update(self, param, x, g, group):
        state, step = self.kept(param, x, group)
        lr, (beta1, beta2), decay = _number(group["lr"]), group["betas"], group["momentum_decay"]
        mu, ahead = [beta1 * (1.0 - 0.5 * 0.96 ** (k * decay)) for k in (step, step + 1)]
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        g, mean, square = self.means(state, x, g, group)
        scale = np.sqrt(square / (1 - beta2**step)) + group["eps"]
        x -= lr * (1.0 - mu) / (1.0 - product) * (g / scale)
        x -= lr * ahead / (1.0 - product * ahead) * (mean / scale)


class RAdam(_TwoMeans):
    """Adam that waits until its mean of g * g can be relied on."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
        differentiable=False,
    ):  # fmt: skip
        _check_betas(betas)
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
            foreach=foreach, capturable=capturable, decoupled_weight_decay=decoupled_weight_decay,
            differentiable=differentiable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def update(self, param, x, g, group):
        state, step = self.kept(param, x, group)
        lr, (beta1, beta2) = _number(group["lr"]), group["betas"]
        g, mean, square = self.means(state, x, g, group)
        moved = lr * (mean / (1 - beta1**step))
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / (1 - beta2**step)  # of the mean of g * g
        if length > 5.0:
            trust = (length - 4) * (length - 2) * longest
            trust = (trust / ((longest - 4) * (longest - 2) * length)) ** 0.5
            moved = moved * ((1 - beta2**step) ** 0.5 / (np.sqrt(square) + group["eps"])) * trust
        x -= moved


class Rprop(_Adaptive):
    """Steps that grow while the gradient keeps its sign and shrink when it changes.

    ValueError unless the first of `etas` is below 1 and the second above.
    """

    zeros = ("prev",)

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False,
        foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = dict(
            lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
            differentiable=differentiable, capturable=capturable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def begin(self, param, x, group):
        first = np.full_like(x, _number(group["lr"]))
        return super().begin(param, x, group) | {"step_size": make(first)}

    def update(self, param, x, g, group):
        state, _ = self.kept(param, x, group)
        (shrink, grow), size = group["etas"], state["step_size"]._array
        agreement = g * state["prev"]._array
        size *= np.where(agreement > 0, grow, np.where(agreement < 0, shrink, 1.0))
        np.clip(size, *group["step_sizes"], out=size)
        g = np.where(agreement < 0, 0, g)
        x -= np.sign(g) * size
        state["prev"]._array[...] = g


class ASGD(_Adaptive):
    """Gradient descent with ever smaller steps; `state[param]["ax"]` is the mean of where it was."""

    zeros = ("ax",)

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None,
        maximize=False, differentiable=False, capturable=False,
    ):  # fmt: skip
        defaults = dict(
            lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach,
            maximize=maximize, differentiable=differentiable, capturable=capturable,
        )  # fmt: skip
        super().__init__(params, _checked(defaults))

    def begin(self, param, x, group):
        eta, mu = _zero(), _zero()
        eta._array[...], mu._array[...] = _number(group["lr"]), 1
        return {"eta": eta, "mu": mu} | super().begin(param, x, group)

    def update(self, param, x, g, group):
        state, step = self.kept(param, x, group)
        lr, lambd = _number(group["lr"]), group["lambd"]
        g, eta, mean = _decayed(g, x, group), state["eta"].item(), state["ax"]._array
        x *= 1 - lambd * eta
        x -= eta * g
        mean += (x - mean) * state["mu"].item()
        state["eta"]._array[...] = lr / (1 + lambd * lr * step) ** group["alpha"]
        state["mu"]._array[...] = 1 / max(1, step - group["t0"])
