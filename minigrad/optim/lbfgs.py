"""LBFGS: steps that use an estimate of the curvature, made from the last gradients.

Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.optim.LBFGS.html
"""

import math

import numpy as np

from ..grad_mode import enable_grad
from .optimizer import Optimizer, _number


class LBFGS(Optimizer):
    """Newton's method with a curvature estimated from the last `history_size` gradients.

    `step(closure)` makes up to `max_iter` steps; `closure` clears the gradients, computes the loss,
    calls backward and returns the loss. With `line_search_fn="strong_wolfe"` the length of each step is
    searched for, otherwise it is `lr`. There is only one group of parameters. ValueError for a negative
    rate or several groups.
    """

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
        history_size=100, line_search_fn=None,
    ):  # fmt: skip
        if _number(lr) < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(
            lr=lr, max_iter=max_iter, max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
            tolerance_grad=tolerance_grad, tolerance_change=tolerance_change,
            history_size=history_size, line_search_fn=line_search_fn,
        ))  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self):
        """All gradients as one vector."""
        return np.concatenate([
            np.zeros(p.numel(), p._array.dtype) if p.grad is None else p.grad._array.reshape(-1)
            for p in self._params
        ])  # fmt: skip

    def _move(self, direction, length):
        """All parameters moved along one vector."""
        start = 0
        for p in self._params:
            part = direction[start : start + p.numel()].reshape(p._array.shape)
            p._array[...] += p._array.dtype.type(length) * part
            start += p.numel()

    def step(self, closure):
        """Move until the gradient is nearly 0 or `max_iter` is reached; returns the first loss.

        RuntimeError for another `line_search_fn` than "strong_wolfe".
        """
        group = self.param_groups[0]
        lr, small, budget = _number(group["lr"]), group["tolerance_change"], group["max_eval"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def measured():
            with enable_grad():
                loss = closure()
            state["func_evals"] += 1
            return loss, self._gradient()

        first, g = measured()
        loss, evaluations = float(first.detach()), 1
        flat = lambda g: np.abs(g).max() <= group["tolerance_grad"]  # noqa: E731
        if flat(g):
            return first
        for i in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self._direction(state, g, group["history_size"])
            state["prev_flat_grad"], state["prev_loss"], before = g.copy(), loss, loss
            length = lr
            if state["n_iter"] == 1:
                length = min(1.0, 1.0 / float(np.abs(g).sum())) * lr
            slope = float(g @ direction)
            if slope > -small:
                break
            used = 0
            if group["line_search_fn"] == "strong_wolfe":
                start = [p._array.copy() for p in self._params]

                def at(length):
                    self._move(direction, length)
                    loss, g = measured()
                    for p, numbers in zip(self._params, start):
                        p._array[...] = numbers
                    return float(loss.detach()), g, float(g @ direction)

                loss, g, length, used = _strong_wolfe(
                    at, length, direction, (loss, g, slope), budget - evaluations
                )
                self._move(direction, length)
            elif group["line_search_fn"] is not None:
                raise RuntimeError("only 'strong_wolfe' is supported")
            else:
                self._move(direction, length)
                if i < group["max_iter"]:
                    found, g = measured()
                    loss, used = float(found.detach()), 1
            state["t"] = length
            evaluations += used
            if (i == group["max_iter"] or evaluations >= budget or flat(g)
                    or np.abs(direction * length).max() <= small
                    or abs(loss - before) < small):  # fmt: skip
                break
        for p in self._params:
            if p._meta is not None:
                p._meta.version.n += 1
        return first

    def _direction(self, state, g, history_size):
        """Minus the inverse of the estimated curvature times the gradient."""
        if state["n_iter"] == 1:
            state |= {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
            state["d"] = -g
            return state["d"]
        dirs, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        y, s = g - state["prev_flat_grad"], state["d"] * state["t"]
        ys = float(y @ s)
        if ys > 1e-10:
            if len(dirs) == history_size:
                del dirs[0], steps[0], ro[0]
            dirs.append(y)
            steps.append(s)
            ro.append(1.0 / ys)
            state["H_diag"] = ys / float(y @ y)
        q, al = -g, []
        for y, s, r in zip(dirs[::-1], steps[::-1], ro[::-1]):
            al.append(float(s @ q) * r)
            q = q - al[-1] * y
        q = q * q.dtype.type(state["H_diag"])
        for y, s, r, a in zip(dirs, steps, ro, al[::-1]):
            q = q + (a - float(y @ q) * r) * s
        state["d"] = q
        return q


def _strong_wolfe(at, t, direction, start, max_ls, c1=1e-4, c2=0.9):
    """The length of a step after which loss and slope are small enough: loss, gradient, length, calls.

    `at(t)` measures (loss, gradient, slope) at length t; `start` is that at 0.
    """
    size = float(np.abs(direction).max())
    f0, _, slope0 = start
    lower, here, calls, done = (0, start), (t, at(t)), 1, False
    tries = 0
    while tries < max_ls:
        t, (f, _, slope) = here
        if f > f0 + c1 * t * slope0 or tries > 1 and f >= lower[1][0]:
            bracket = [lower, here]
            break
        if abs(slope) <= -c2 * slope0:
            bracket, done = [here], True
            break
        if slope >= 0:
            bracket = [lower, here]
            break
        t = _lowest(lower, here, (t + 0.01 * (t - lower[0]), t * 10))
        lower, here = here, (t, at(t))
        calls, tries = calls + 1, tries + 1
    else:
        bracket = [(0, start), here]
    stuck = False
    low, high = (0, 1) if bracket[0][1][0] <= bracket[-1][1][0] else (1, 0)
    while not done and tries < max_ls:
        ends = [t for t, _ in bracket]
        if abs(ends[1] - ends[0]) * size < 1e-9:
            break
        t, (least, most) = _lowest(*bracket), sorted(ends)
        margin = 0.1 * (most - least)
        near = min(most - t, t - least) < margin
        if near and (stuck or t >= most or t <= least):
            t = most - margin if abs(t - most) < abs(t - least) else least + margin
            near = False
        stuck = near
        here = (t, at(t))
        calls, tries = calls + 1, tries + 1
        f, _, slope = here[1]
        if f > f0 + c1 * t * slope0 or f >= bracket[low][1][0]:
            bracket[high] = here
            low, high = (0, 1) if bracket[0][1][0] <= bracket[1][1][0] else (1, 0)
        else:
            if abs(slope) <= -c2 * slope0:
                done = True
            elif slope * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    t, (f, g, _) = bracket[low]
    return f, g, t, calls


def _lowest(first, second, bounds=None):
    """Where the cubic through two points, with their slopes, is lowest within the bounds."""
    (x1, (f1, _, g1)), (x2, (f2, _, g2)) = first, second
    low, high = bounds or sorted((x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    if x1 <= x2:
        lowest = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        lowest = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(lowest, low), high)
