"""Schedules: how the learning rates of an optimizer change from epoch to epoch.

Each scheduler sets `group["lr"]` when it is made, and again at each `step()`, which belongs after the
optimizer's. Most compute the new rate from the last one, so that several can be combined.
Mirrors https://docs.pytorch.org/docs/2.13/optim.html#how-to-adjust-learning-rate
"""

import bisect
import functools
import math
import warnings
from collections import Counter

from ..namespace import absent, listed, mirror
from .optimizer import Optimizer


def _asked_by_step(get_lr):
    """`get_lr` with PyTorch's warning for those who ask for the rates of now: they get the next ones."""

    @functools.wraps(get_lr)
    def asked(self):
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        return get_lr(self)

    return asked


class LRScheduler:
    """The base class: a subclass defines `get_lr`, the learning rate of each group.

    TypeError for what is no optimizer, KeyError for a `last_epoch` without initial rates.
    """

    _is_initial = False  # True while the rates of epoch 0 are being set
    _get_lr_called_within_step = False

    def __init__(self, optimizer, last_epoch=-1):
        self._take(optimizer)
        if not hasattr(optimizer, "_scheduled"):  # steps are counted from its first scheduler on
            optimizer._scheduled, optimizer._opt_called = True, False
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0.\nThis typically happens when:\n1. You're trying to "
                    "resume training from a checkpoint but haven't properly loaded the optimizer "
                    "state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._first_step()

    def _first_step(self):
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def _take(self, optimizer):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer

    @property
    def lrs(self):
        """The learning rates as they are now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self):
        """The new learning rates, for epoch `last_epoch`."""
        raise NotImplementedError

    def get_last_lr(self):
        """The learning rates that the last step set."""
        return self._last_lr

    def step(self):
        """Go on to the next epoch; UserWarning if the optimizer has not made a step yet."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 "
                "and later, you should call them in the opposite order: `optimizer.step()` before "
                "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
                "value of the learning rate schedule. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch += 1
        self._change()

    def _change(self):
        """Set the rates of this epoch."""
        self._get_lr_called_within_step = True
        try:
            self._set(self.get_lr())
        finally:
            self._get_lr_called_within_step = False

    def _set(self, lrs):
        for group, lr in zip(self.optimizer.param_groups, lrs):
            group["lr"] = lr
        self._last_lr = self.lrs

    from_base = False  # whether the rate of epoch 0 follows from the initial one alone

    def _restart(self):
        """Begin with epoch 0, wherever the rates are now."""
        self.last_epoch = 0
        if self.from_base:
            self._set(self.base_lrs)
        self._is_initial = self.from_base
        self._change()
        self._is_initial = False

    def state_dict(self):
        """All that the scheduler keeps, but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds."""
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler  # its old name, from which older programs derive


class _WithFunctions(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        count = len(optimizer.param_groups)
        several = isinstance(lr_lambda, (list, tuple))
        if several and len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * count
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """All that the scheduler keeps, but the optimizer and the functions."""
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [None] * len(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds, but the functions."""
        functions = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = functions


class LambdaLR(_WithFunctions):
    """The initial rate times `lr_lambda(epoch)`: a function, or one for each group.

    ValueError unless there are as many functions as groups.
    """

    @_asked_by_step
    def get_lr(self):
        return [lr * of(self.last_epoch) for lr, of in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(_WithFunctions):
    """The last rate times `lr_lambda(epoch)`: a function, or one for each group.

    ValueError unless there are as many functions as groups.
    """

    @_asked_by_step
    def get_lr(self):
        if self._is_initial:
            return self.lrs
        return [lr * of(self.last_epoch) for lr, of in zip(self.lrs, self.lr_lambdas)]


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    from_base = True

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self.lrs
        return [lr * self.gamma for lr in self.lrs]


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each epoch named in `milestones`."""

    from_base = True

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        times = self.milestones.get(self.last_epoch)
        return [lr * self.gamma**times for lr in self.lrs] if times else self.lrs


class ExponentialLR(LRScheduler):
    """The rate times `gamma` every epoch."""

    from_base = True

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        return self.lrs if self._is_initial else [lr * self.gamma for lr in self.lrs]


class LinearLR(LRScheduler):
    """The rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs.

    ValueError for factors outside of 0 to 1.
    """

    from_base = True

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self.lrs]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.lrs
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return [lr * (1.0 + rise / before) for lr in self.lrs]


class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs.

    ValueError for a factor outside of 0 to 1.
    """

    from_base = True

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self.lrs]
        if self.last_epoch != self.total_iters:
            return self.lrs
        return [lr * (1.0 / self.factor) for lr in self.lrs]


class PolynomialLR(LRScheduler):
    """From the initial rate to 0 in `total_iters` epochs, as the `power` of the epochs left."""

    from_base = True

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.lrs
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return [lr * (left / before) ** self.power for lr in self.lrs]


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to `eta_min` in `T_max` epochs, along half a cosine wave, and back."""

    from_base = True

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        if self._is_initial:
            return self.lrs
        low, wave = self.eta_min, math.pi / self.T_max
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the lowest point
            step = (1 - math.cos(wave)) / 2
            return [lr + (base - low) * step for base, lr in zip(self.base_lrs, self.lrs)]
        ratio = (1 + math.cos(wave * self.last_epoch)) / (1 + math.cos(wave * (self.last_epoch - 1)))
        return [ratio * (lr - low) + low for lr in self.lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine wave down to `eta_min` in `T_0` epochs, again and again, each `T_mult` times as
    long.

    ValueError unless both are positive whole numbers.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min, self.T_cur = T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    @_asked_by_step
    def get_lr(self):
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch=None):
        """Go on to the next epoch, or to any, fractions of one included.

        ValueError for a negative epoch.
        """
        self._step_count += 1
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            start, self.T_i = 0, self.T_0
            while epoch >= start + self.T_i:
                start, self.T_i = start + self.T_i, self.T_i * self.T_mult
            self.T_cur = epoch - start
        self.last_epoch = math.floor(epoch)
        self._change()


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum (Adam's: its first beta) against the rate."""

    def _for_each_group(self, name, value):
        count = len(self.optimizer.param_groups)
        if not isinstance(value, (list, tuple)):
            return [value] * count
        if len(value) != count:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has "
                             f"{len(value)} values, param_groups has {count}.")  # fmt: skip
        return value

    def _begin_momentum(self, base, largest, last_epoch):
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in defaults
        self.base_momentums = self._for_each_group("base_momentum", base)
        self.max_momentums = self._for_each_group("max_momentum", largest)
        if last_epoch == -1:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums
            ):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group, momentum):
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Up from `base_lr` to `max_lr` and back, again and again; call `step` after every batch.

    ValueError for an unknown mode, or an optimizer without momentum to move.
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
        gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
        max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        self._take(optimizer)
        lows = self._for_each_group("base_lr", base_lr)
        if last_epoch == -1:
            self._set(lows)
        self.max_lrs = self._for_each_group("max_lr", max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode, self.cycle_momentum = scale_mode, cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x):
        """How high cycle (or step) number `x` goes, as a share."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    @_asked_by_step
    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        height = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        share = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums
            ):
                self._set_momentum(group, high - (high - low) * height * share)
        return [low + (high - low) * height * share for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self):
        """All that the scheduler keeps, but the optimizer and a function."""
        return {**super().state_dict(), "_scale_fn_custom": None}

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds, but the function."""
        super().load_state_dict({**state_dict, "_scale_fn_custom": self._scale_fn_custom})


class OneCycleLR(_WithMomentum):
    """Up to `max_lr` and down to nearly 0, once; call `step` after every batch.

    ValueError without a number of steps, and for a `pct_start` outside of 0 to 1.
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95,
        div_factor=25.0, final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        self._take(optimizer)
        given = {"total_steps": total_steps} if total_steps is not None else (
            {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        )  # fmt: skip
        if None in given.values():
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in given.items():
            if value <= 0 or not isinstance(value, int):
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        self.total_steps = math.prod(given.values())
        top = float(pct_start * self.total_steps) - 1
        if three_phase:
            back = float(2 * pct_start * self.total_steps) - 2
            self._phases = [(top, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                            (back, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                            (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]  # fmt: skip
        else:
            self._phases = [(top, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                            (self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]  # fmt: skip
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, self._for_each_group("max_lr", max_lr)):
                group["initial_lr"], group["max_lr"] = most / div_factor, most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _between(self, start, end, share):
        if self.anneal_strategy == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    @_asked_by_step
    def get_lr(self):
        """The new learning rates. ValueError after the last step."""
        step, start = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        for phase in self._phases:
            end, *names = phase
            if step <= end or phase is self._phases[-1]:
                break
            start = end
        share, found = (step - start) / (end - start), []
        for group in self.optimizer.param_groups:
            lr, lr_end, momentum, momentum_end = [group.get(name) for name in names]
            found.append(self._between(lr, lr_end, share))
            if self.cycle_momentum:
                self._set_momentum(group, self._between(momentum, momentum_end, share))
        return found


class _Several(LRScheduler):
    """Schedulers of one optimizer, run by this one."""

    def _gather(self, optimizer, schedulers):
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                    "kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )
        self.optimizer, self._schedulers = optimizer, schedulers

    def state_dict(self):
        """All that the schedulers keep, but the optimizer."""
        state = super().state_dict()
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds."""
        schedulers = self._schedulers
        super().load_state_dict({**state_dict, "_schedulers": schedulers})
        for scheduler, state in zip(schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(_Several):
    """One scheduler after the other: the next one begins at each epoch in `milestones`.

    ValueError unless there is one milestone fewer than schedulers, all of one optimizer.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self._gather(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the "
                f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                f"number of milestones to be equal to {len(milestones)}"
            )
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._undo(schedulers)  # each has made its first step
        first = schedulers[bisect.bisect_right(milestones, 0)]
        first._first_step()
        self._last_lr = first.get_last_lr()

    def _undo(self, schedulers):
        for scheduler in schedulers:
            if hasattr(scheduler, "_schedulers"):
                self._undo(scheduler._schedulers)
            else:
                scheduler.last_epoch -= 1

    def step(self):
        """Go on to the next epoch."""
        self.last_epoch += 1
        scheduler = self._schedulers[bisect.bisect_right(self._milestones, self.last_epoch)]
        if self.last_epoch in self._milestones:
            scheduler._restart()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """Several schedulers, each of which changes the rates at every step.

    ValueError without any, or for schedulers of several optimizers.
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler."
            )
        self._gather(optimizer or schedulers[0].optimizer, schedulers)
        self._last_lr = self.lrs

    def step(self):
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self.lrs


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a number, given to `step`, has not got better for a while.

    `patience` is for how many epochs that is put up with, `threshold` how much better is better,
    `cooldown` how long to wait after a reduction. ValueError unless the factor is below 1.
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel",
        cooldown=0, min_lr=0, eps=1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self._take(optimizer)
        count = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * count
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch, self._last_lr = 0, self.lrs
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics):
        """Note the number that an epoch ended with, and reduce the rates if it is time to."""
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                reduced = max(group["lr"] * self.factor, least)
                if group["lr"] - reduced > self.eps:
                    group["lr"] = reduced
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self.lrs

    def _is_better(self, current):
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            return sign * current > sign * self.best * (1 + sign * self.threshold)
        return sign * current > sign * self.best + self.threshold


mirror(globals(), "generated/torch.optim.lr_scheduler.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
