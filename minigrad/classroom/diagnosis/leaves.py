"""What is noted of one leaf: the gradients that arrive there, and whether its numbers move."""

import math

import numpy as np

import minigrad


def numbers(value):
    """A tensor's numbers as an array, which shares memory."""
    return value.numpy(force=True) if isinstance(value, minigrad.Tensor) else np.asarray(value)


class Leaf:
    """What is noted of one leaf. ref: a weak reference to the tensor."""

    def __init__(self, name, ref, requires_grad):
        self.name, self.ref, self.requires_grad = name, ref, requires_grad
        self.passes = self.nonzero = 0  # gradients that arrived; those that were not all zero
        self.line = 0  # of the last pass that reached it
        self.value = self.grad = None  # its numbers and its .grad, as of the last pass
        self.seen = []  # the first few .grad
        self.moved = False  # whether its numbers are others than at the last pass
        self.updates = self.up = 0  # how often they moved; how often along the gradient
        self.move, self.turns = None, 0  # the last one; how often one went back
        self.update_line = 0  # of the last step
        self.dirty, self.dirty_steps = False, 0  # .grad has what an earlier step already used
        self.clears, self.cleared = 0, 0  # how often it was cleared; where, since the last pass
        self.full_steps = self.empty_steps = 0  # steps with a gradient, steps that missed one
        self.cleared_at = 0  # where the gradient went that a step then missed
        self.optimizer = 0  # the line of the one that has it
        self.missed = []  # lines in which its .grad was read and was not there

    def add(self, tensor, g, line):
        """A gradient arrived."""
        now = np.array(numbers(tensor.grad))
        if self.grad is None or np.array_equal(now, g) or not np.isfinite(now).all():
            self.dirty = False
        elif self.moved and np.array_equal(self.grad + g, now):
            self.dirty = True
        self.passes, self.nonzero = self.passes + 1, self.nonzero + bool(g.any())
        self.line, self.cleared, self.moved = line, 0, False
        self.grad, self.value = now, np.array(numbers(tensor))
        if len(self.seen) < 3:
            self.seen.append(now)

    def settle(self):
        """Compare its numbers with those at the last pass. Whether they have moved since."""
        tensor = self.ref()
        if tensor is None or self.value is None or self._is_still(tensor):
            return False
        value = np.array(numbers(tensor))
        if value.shape == self.value.shape and self.updates < 200:
            with np.errstate(all="ignore"):
                move = value - self.value
                size = math.sqrt(float((move**2).sum()) * float((self.grad**2).sum()))
                self.up += 0 < size < math.inf and float((move * self.grad).sum()) > 0.9 * size
                self.turns += self.move is not None and float((move * self.move).sum()) < 0
            self.move = move
        self.value, self.moved, self.updates = value, True, self.updates + 1
        self.dirty_steps += self.dirty
        return True

    def _is_still(self, tensor):
        return numbers(tensor).tobytes() == self.value.tobytes()  # nan included

    def hear_of(self, array, line):
        """Something was changed in place: perhaps this leaf, or its `.grad`."""
        tensor = self.ref()
        if tensor is None or self.value is None or array.shape != self.value.shape:
            return
        if np.may_share_memory(array, numbers(tensor)):
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

    def clear(self, line):
        """Its gradient was taken away, or set to zero."""
        self.clears, self.cleared = self.clears + 1, line
