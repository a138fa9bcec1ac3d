"""What is noted of one leaf: the gradients that arrive there, and how its numbers move."""

import math

import numpy as np

import minigrad
from minigrad.nn import Parameter


def numbers(value):
    """A tensor's numbers as an array, which shares memory."""
    return value.numpy(force=True) if isinstance(value, minigrad.Tensor) else np.asarray(value)


def dot(one, other):
    """The dot product of two arrays as vectors; of many numbers without threads, which wait for
    each other where the machine is busy."""
    if one.size < 1000:
        return float(np.vdot(one, other))
    return float(np.einsum("i,i", one.ravel(), other.ravel()))


def is_finite(array):
    """Whether all numbers are finite; of few, by the sum of their squares, which is quicker."""
    few = array.size < 1000 and math.isfinite(np.vdot(array, array))
    return bool(few or np.isfinite(array).all())


def step_between(old, new, gradient):
    """How numbers moved: the move, its cosine with the gradient, the quotient of their lengths."""
    move = np.subtract(new, old, dtype=np.float64)
    length, steepness = length_of(move), length_of(gradient)
    both = length * steepness
    if not 0 < both < math.inf:
        return move, 0.0, 0.0
    return move, dot(move, gradient) / both, length / steepness


def length_of(array):
    """The length of an array as a vector, in float64."""
    wide = array.astype(np.float64, copy=False)
    return math.sqrt(dot(wide, wide))


class Leaf:
    """What is noted of one leaf. tensor: a weak reference."""

    def __init__(self, name, tensor):
        self.name, self.tensor = name, tensor
        self.is_parameter = isinstance(tensor(), Parameter)
        self.attributes = vars(tensor())  # what the program has set, read at the end
        self.is_fresh = tensor()._version == 1  # whether its numbers are those of a new layer
        self.idle = 0  # how many passes ago it was reached, or moved
        self.passes = self.nonzero = 0  # gradients that arrived; those that were not all zero
        self.begun = None  # its numbers at the pass that began its .grad
        self.zeros = 0  # how many of the last ones were all zero
        self.line, self.filled = 0, set()  # of the last pass that reached it; of all
        self.start = None  # its numbers at its first pass
        self.value = self.grad = None  # its numbers and its gradient, as of the last pass
        self.seen = []  # the first few .grad
        self.updates = self.up = 0  # how often its numbers moved; how often along the gradient
        self.move, self.turns = None, 0  # the last move; how often one went back
        self.is_shared = False  # whether many results have it in common, as those of a batch do
        self.shifts = False  # whether it is added to given numbers, as noise is to an input
        self.rates = []  # the smallest, the largest, the last number that multiplied the gradient
        self.update_line = 0  # of the last step
        self.is_read = False  # whether an operation has used its numbers since the last pass
        self.held = None  # the memory of its .grad
        self.is_asked = False  # whether its .grad was read since the last pass
        self.used = False  # whether a step has used its .grad since the last pass
        self.changes, self.reshaped = 0, 0  # in place since the last pass; moves with several
        self.dirty = False  # whether .grad still has what an earlier step already used
        self.dirty_line = 0  # of the last pass before a step with such a gradient
        self.directions = set()  # whether such steps led along their gradient, or against it
        self.means_sum = True  # whether each such step led from 0 or the start, against it
        self.clears, self.cleared = 0, 0  # how often it was cleared; where, since the last pass
        self.full_steps, self.cleared_at = 0, 0  # with a gradient; where one went that was missed
        self.wasted = self.wasted_at = 0  # how often one went that nobody had looked at; where
        self.late = self.late_at = 0  # how often one was changed after its step, and went; where
        self.is_late = False  # whether it was, since the last pass
        self.turn = 0  # its place among the leaves that the last pass reached
        self.lists = {}  # {name of a list: how often it held the .grad, as of an early pass}
        self.is_single = False  # whether .grad is what one pass gave
        self.waits = 0  # the line that filled its .grad before another model's step, if one did
        self.left_by = self.mixed = 0  # that line; steps that used this and a later pass
        self.optimizer = 0  # the line of the one that has it
        self.missed = []  # lines in which its .grad was read and was not there
        self.required_grad = True  # whether it then required grad
        self.used_at = 0  # the line that used it, of a parameter that has no name

    @property
    def requires_grad(self):
        """Whether it requires grad; of a tensor that is gone, whether it did."""
        tensor = self.tensor()
        return self.required_grad if tensor is None else tensor.requires_grad

    def add(self, tensor, g, line):
        """A gradient arrived in `.grad`."""
        self.held = numbers(tensor.grad)
        now = np.array(self.held)
        is_new = self.grad is None or now.tobytes() == g.tobytes() or bool((now == g).all())
        is_more = not is_new and self.used and np.array_equal(self.grad + g, now)
        self.is_single, self.dirty = is_new, is_more or self.dirty and not is_new
        is_zero = not g.any()
        self.passes, self.nonzero = self.passes + 1, self.nonzero + (not is_zero)
        self.zeros = self.zeros + 1 if is_zero else 0
        self.is_read = False
        self.reached(numbers(tensor), now, line)
        self.begun = self.value if is_new else self.begun
        if len(self.seen) < 3:
            self.seen.append(now)

    def reached(self, value, gradient, line):
        """A pass came by with a gradient, for `.grad` or for whoever called grad()."""
        self.line, self.cleared, self.used, self.is_asked = line, 0, False, False
        self.filled.add(line)
        self.idle = 0
        self.grad, self.value, self.changes = gradient, np.array(value), 0
        self.start = self.value if self.start is None else self.start

    def settle(self):
        """Compare its numbers with those at the last pass. Whether they have moved since."""
        tensor, self.idle = self.tensor(), self.idle + 1
        if tensor is None or self.value is None or self._is_still(tensor):
            return False
        self.idle = 0
        value = np.array(numbers(tensor))
        if value.shape == self.value.shape:
            self._add_move(value)
        else:  # it has grown: another beginning
            self.start, self.move = value, None
        self.updates += 1
        self.value, self.changes = value, 0
        self.used = self.used or self.is_asked and not self.optimizer
        return True

    def _add_move(self, value):
        """It has new numbers."""
        move, cosine, rate = step_between(self.value, value, self.grad)
        self.up += cosine > 0
        self.reshaped += self.changes > 1
        self.turns += self.move is not None and dot(move, self.move) < 0
        self.move, by_hand = move, not self.optimizer
        if self.dirty and by_hand and cosine:
            self.dirty_line = self.line
            self.directions.add(cosine > 0)
            self.means_sum = self.means_sum and self._leads_from_start(value)
        if by_hand and abs(cosine) > 0.9:  # a plain step; momentum and others bend theirs
            self.add_rate(rate)

    def _leads_from_start(self, value):
        """Whether new numbers lie from 0 or a start against the gradient, but for rounding."""
        starts = (0.0, self.start, self.begun)
        return any(step_between(one, value, self.grad)[1] < -0.9999 for one in starts)

    def add_rate(self, rate):
        """Its gradient was multiplied by this number."""
        lowest, highest, _ = self.rates or (rate, rate, rate)
        self.rates[:] = min(lowest, rate), max(highest, rate), rate

    @property
    def is_steady(self):
        """Whether its rate stayed about what it was: nobody is trying out rates."""
        return not self.rates or self.rates[1] <= 1.5 * self.rates[0]

    @property
    def is_raised(self):
        """Whether its rate was raised up to the end, as by who looks for one that is too large."""
        return bool(self.rates) and self.rates[2] == self.rates[1] > 1.5 * self.rates[0]

    @property
    def is_driven(self):
        """Whether its rate did not fall: the gradient makes its steps, not a length that is set."""
        return not self.rates or self.rates[1] <= 1.5 * self.rates[2]

    @property
    def adds_up(self):
        """Whether steps used gradients of earlier ones, and not as methods that mean their sum.

        Those compute new numbers from 0 or the start and the sum of all gradients, by a factor of
        their own; a plain step goes by a steady one. (A single number is always a multiple.) Or
        they go to and fro along a trace of gradients.
        """
        is_plain = self.rates and self.is_steady
        is_step = not self.means_sum and len(self.directions) < 2
        return self.dirty_line and (is_plain or is_step)

    def goes_on_with(self, value):
        """Whether another leaf's numbers are a step from its own, and not another start.

        Of single numbers any two lie along the gradient: a step is computed from what it leaves,
        and its rate is about that of the steps before.
        """
        if not self.is_read or self.value is None or self.value.shape != value.shape:
            return False
        _, cosine, rate = step_between(self.value, value, self.grad)
        return abs(cosine) > 0.9 and all(0.5 < rate / one < 2 for one in self.rates if one)

    def _is_still(self, tensor):
        return numbers(tensor).tobytes() == self.value.tobytes()  # also where they are nan

    def hear_of(self, array, line):
        """Something was changed in place: perhaps this leaf, or its `.grad`."""
        tensor = self.tensor()
        if tensor is None or self.value is None or array.shape != self.value.shape:
            return
        if np.may_share_memory(array, numbers(tensor)):
            self.changes += 1
            self.step(not self.cleared, line)
        elif self.held is not None and np.may_share_memory(array, self.held):
            if not array.any():
                self.clear(line)
            elif self.used:
                self.is_late = not (self.cleared or np.array_equal(array, self.grad))
                self.late_at = line
            elif self._is_still(tensor):  # clipped, before the step
                self.grad = np.array(array)

    def step(self, has_gradient, line):
        """It makes a step."""
        self.update_line = line
        if has_gradient:
            self.full_steps += 1
        else:
            self.cleared_at = self.cleared

    def optimizer_step(self, has_gradient, rate, line):
        """An optimizer is about to make a step."""
        self.step(has_gradient, line)
        self.used = has_gradient
        if self.waits and self.waits != self.line:
            self.left_by, self.mixed = self.waits, self.mixed + 1
        self.waits = 0
        tensor = self.tensor()
        is_back = tensor is not None and np.array_equal(self.begun, numbers(tensor))
        if self.dirty and has_gradient and not is_back:  # else it tried a step, and went back
            self.dirty_line, self.means_sum = self.line, False
        self.add_rate(rate)

    def clear(self, line):
        """Its gradient was taken away, or set to zero."""
        if self.passes and not (self.cleared or self.used or self.is_asked or self.changes):
            self.wasted, self.wasted_at = self.wasted + 1, line
        if line != self.late_at:  # p.grad /= 2 is both a change and an assignment
            self.late, self.is_late = self.late + self.is_late, False
        self.waits = 0
        self.clears, self.cleared, self.dirty = self.clears + 1, line, False
