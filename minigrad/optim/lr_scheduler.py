"""Schedules: how the learning rates of an optimizer change from epoch to epoch.

Each scheduler sets `group["lr"]` when it is made, and again at each `step()`, which belongs after the
optimizer's. Most compute the new rate from the last one, so that several can be combined.
Mirrors https://docs.pytorch.org/docs/2.13/optim.html#how-to-adjust-learning-rate
"""

import math
import warnings
from collections import Counter

from .optimizer import Optimizer


class LRScheduler:
    """The base class: a subclass defines `get_lr`, the learning rate of each group."""

    def __init__(self, optimizer, last_epoch=-1):
        self._take(optimizer)
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
        self._step_count = 0
        self.step()

    def _take(self, optimizer):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer

    @property
    def lrs(self):
        """The learning rates as they are now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    @property
    def is_initial(self):
        """True while the scheduler is being made."""
        return self._step_count == 1

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
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr
        self._last_lr = self.lrs

    def state_dict(self):
        """All that the scheduler keeps, but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The initial rate times `lr_lambda(epoch)`: a function, or one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        count = len(optimizer.param_groups)
        several = isinstance(lr_lambda, (list, tuple))
        if several and len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * count
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [lr * of(self.last_epoch) for lr, of in zip(self.base_lrs, self.lr_lambdas)]

    def state_dict(self):
        """All that the scheduler keeps, but the optimizer and the functions."""
        state = super().state_dict()
        state["lr_lambdas"] = [None] * len(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict):
        """Take over what another scheduler's `state_dict()` holds, but the functions."""
        functions = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = functions


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self.lrs
        return [lr * self.gamma for lr in self.lrs]


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each epoch named in `milestones`."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        times = self.milestones.get(self.last_epoch)
        return [lr * self.gamma**times for lr in self.lrs] if times else self.lrs


class ExponentialLR(LRScheduler):
    """The rate times `gamma` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return self.lrs if self.is_initial else [lr * self.gamma for lr in self.lrs]


class LinearLR(LRScheduler):
    """The rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

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

    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self.lrs]
        if self.is_initial or self.last_epoch > self.total_iters:
            return self.lrs
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return [lr * (1.0 + rise / before) for lr in self.lrs]


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to `eta_min` in `T_max` epochs, along half a cosine wave, and back."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.is_initial:
            return self.lrs
        low, wave = self.eta_min, math.pi / self.T_max
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the lowest point
            step = (1 - math.cos(wave)) / 2
            return [lr + (base - low) * step for base, lr in zip(self.base_lrs, self.lrs)]
        ratio = (1 + math.cos(wave * self.last_epoch)) / (1 + math.cos(wave * (self.last_epoch - 1)))
        return [ratio * (lr - low) + low for lr in self.lrs]


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a number, given to `step`, has not got better for a while.

    `patience` is for how many epochs that is put up with, `threshold` how much better is better,
    `cooldown` how long to wait after a reduction.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel",
        cooldown=0, min_lr=0, eps=1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self._take(optimizer)
        count = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.factor, self.patience, self.cooldown, self.eps = factor, patience, cooldown, eps
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.min_lrs = list(min_lr) if several else [min_lr] * count
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = self.last_epoch = 0
        self._last_lr = self.lrs

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
