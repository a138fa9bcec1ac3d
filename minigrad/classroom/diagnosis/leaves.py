"""What is noted of one leaf: the gradients that arrive there, and how its numbers move."""

import math

import numpy as np

import minigrad


def numbers(value):
    """A tensor's numbers as an array, which shares memory."""
    return value.numpy(force=True) if isinstance(value, minigrad.Tensor) else np.asarray(value)


def size_of(array):
    """The length of an array's numbers, taken as one vector."""
    with np.errstate(all="ignore"):
        return math.sqrt(float((np.asarray(array, dtype=np.float64) ** 2).sum()))


class Course:
    """How a parameter's numbers move. A new leaf that takes over a name takes this over, too."""

    def __init__(self):
        self.updates = self.up = 0  # how often they moved; how often along the gradient
        self.move, self.turns = None, 0  # the last one; how often one went back
        self.first_move = self.last_move = 0.0  # their lengths
        self.first_rate = self.largest_rate = 0.0  # what the gradient was multiplied by
        self.rate_before = 0.0  # the same of a leaf that had its name before, in another trial
        self.reshaped = 0  # moves after which the numbers were changed once more: projected

    def add(self, old, new, gradient, changes):
        """They moved. changes: how often they were changed in place for it."""
        self.updates += 1
        with np.errstate(all="ignore"):
            move = new.astype(np.float64) - old
            length, steepness = size_of(move), size_of(gradient)
            along = float((move * gradient).sum())
            self.turns += self.move is not None and float((move * self.move).sum()) < 0
        self.up += 0 < length * steepness < math.inf and along > 0.9 * length * steepness
        self.move, self.last_move = move, length
        self.first_move = self.first_move or length
        self.reshaped += changes > 1
        if is_parallel(along, length, steepness) and length > 1e-4 * size_of(old):
            self.add_rate(abs(along) / steepness**2)

    def add_rate(self, rate):
        """The gradient was multiplied by this number."""
        self.first_rate = self.first_rate or rate
        self.largest_rate = max(self.largest_rate, rate)

    @property
    def is_tried(self):
        """Whether the rate was raised on the way, or is another than before: rates are tried."""
        first, before = self.first_rate, self.rate_before
        return self.largest_rate > 1.5 * first or 0 < 1.5 * min(first, before) < max(first, before)

    def goes_on(self, old, new, gradient):
        """Whether new numbers are a step from old ones, and not another start."""
        if old.shape != new.shape or np.array_equal(old, new):
            return False
        with np.errstate(all="ignore"):
            move = new.astype(np.float64) - old
            length, steepness = size_of(move), size_of(gradient)
            along = float((move * gradient).sum())
        if not is_parallel(along, length, steepness):
            return False
        rate = abs(along) / steepness**2
        return not self.first_rate or 0.5 < rate / self.first_rate < 2


def is_parallel(along, length, steepness):
    """Whether a move goes along the gradient or straight against it."""
    both = length * steepness
    return 0 < both < math.inf and abs(along) > 0.99 * both


class Leaf:
    """What is noted of one leaf. ref: a weak reference to the tensor."""

    def __init__(self, name, ref, requires_grad):
        self.name, self.ref, self.requires_grad = name, ref, requires_grad
        self.passes = self.nonzero = 0  # gradients that arrived; those that were not all zero
        self.line = 0  # of the last pass that reached it
        self.value = self.grad = None  # its numbers and its gradient, as of the last pass
        self.seen = []  # the first few .grad
        self.moved = False  # whether its numbers are others than at the last pass
        self.stepped = False  # whether an optimizer has used its .grad since the last pass
        self.changes = 0  # how often its numbers were changed in place since the last pass
        self.course = Course()
        self.update_line = 0  # of the last step
        self.dirty, self.dirty_steps = False, 0  # .grad has what an earlier step already used
        self.clears, self.cleared = 0, 0  # how often it was cleared; where, since the last pass
        self.full_steps = self.empty_steps = 0  # steps with a gradient, steps that missed one
        self.cleared_at = 0  # where the gradient went that a step then missed
        self.optimizer = 0  # the line of the one that has it
        self.superseded = False  # another leaf has taken over its course
        self.missed = []  # lines in which its .grad was read and was not there

    @property
    def updates(self):
        """How often its numbers moved."""
        return self.course.updates

    def add(self, tensor, g, line):
        """A gradient arrived."""
        now, used = np.array(numbers(tensor.grad)), self.moved
        used = self.stepped if self.optimizer else used
        if self.grad is None or np.array_equal(now, g) or not np.isfinite(now).all():
            self.dirty = False
        elif used and np.array_equal(self.grad + g, now):
            self.dirty = True
        self.passes, self.nonzero = self.passes + 1, self.nonzero + bool(g.any())
        self.reached(numbers(tensor), now, line)
        if len(self.seen) < 3:
            self.seen.append(now)

    def reached(self, value, gradient, line):
        """A pass came by with a gradient, for `.grad` or for whoever called grad()."""
        self.line, self.cleared, self.moved, self.stepped = line, 0, False, False
        self.grad, self.value, self.changes = gradient, np.array(value), 0

    def settle(self):
        """Compare its numbers with those at the last pass. Whether they have moved since."""
        tensor = self.ref()
        if tensor is None or self.value is None or self._is_still(tensor):
            return False
        value = np.array(numbers(tensor))
        if value.shape == self.value.shape and self.course.updates < 200:
            self.course.add(self.value, value, self.grad, self.changes)
            self._count_dirty()
        else:
            self.course.updates += 1
        self.value, self.moved, self.changes = value, True, 0
        return True

    def _count_dirty(self):
        """A step by hand with a gradient to which an earlier one still belonged."""
        if self.dirty and not self.optimizer:
            move = size_of(self.course.move) * size_of(self.grad)
            along = abs(float((self.course.move * self.grad).sum()))
            self.dirty_steps += along > 0.3 * move

    def _is_still(self, tensor):
        return numbers(tensor).tobytes() == self.value.tobytes()  # nan included

    def hear_of(self, array, line):
        """Something was changed in place: perhaps this leaf, or its `.grad`."""
        tensor = self.ref()
        if tensor is None or self.value is None or array.shape != self.value.shape:
            return
        if np.may_share_memory(array, numbers(tensor)):
            self.changes += 1
            self.step(not self.cleared, line)
        elif tensor.grad is not None and np.may_share_memory(array, numbers(tensor.grad)):
            if not array.any():
                self.clear(line)
            elif self._is_still(tensor):  # clipped, before the step
                self.grad = np.array(array)

    def step(self, has_gradient, line):
        """It makes a step."""
        self.update_line = line
        if has_gradient:
            self.full_steps += 1
        elif self.cleared or self.grad is not None and self.grad.any():
            self.empty_steps, self.cleared_at = self.empty_steps + 1, self.cleared

    def optimizer_step(self, has_gradient, rate, line):
        """An optimizer is about to make a step."""
        self.step(has_gradient, line)
        self.stepped = has_gradient
        self.dirty_steps += self.dirty and has_gradient
        self.course.add_rate(rate)

    def clear(self, line):
        """Its gradient was taken away, or set to zero."""
        self.clears, self.cleared, self.dirty = self.clears + 1, line, False
