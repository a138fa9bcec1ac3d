"""What is noted of one leaf: the gradients that arrive there, and whether its numbers move."""

import math

import numpy as np

import minigrad

SHORT_LIVED = {"p", "param", "parameter", "self", "t", "v"}  # names in loops over parameters


def numbers(value):
    """A tensor's numbers as an array, which shares memory."""
    return value.numpy(force=True) if isinstance(value, minigrad.Tensor) else np.asarray(value)


def name_of(tensor, frames, any_name=False):
    """A name by which the program knows a tensor: "w", "model.fc.weight"; "" if there is none."""
    for frame in frames:
        for name, value in list(frame.f_locals.items()):
            if value is tensor and (any_name or name not in SHORT_LIVED):
                return name
    for frame in reversed(frames):
        for name, value in list(frame.f_locals.items()):
            if found := _within(tensor, name, value):
                return found
    return ""


def _within(tensor, name, value):
    """The tensor's name in a module or a list of that name, or ""."""
    if isinstance(value, type) or not (named := _parts_of(value)):
        return ""
    for path, one in named:
        if one is tensor:
            return name + path
        if hasattr(one, "named_parameters") and (found := _within(tensor, name + path, one)):
            return found
    return ""


def _parts_of(value):
    """Pairs (".weight", tensor) of a module, also of its plain lists, or of a list or a dict."""
    if isinstance(value, dict) and len(value) < 200:
        return [(f"[{key!r}]", one) for key, one in value.items()]
    if isinstance(value, (list, tuple)) and len(value) < 200:
        return [(f"[{k}]", one) for k, one in enumerate(value)]
    if not hasattr(value, "named_parameters"):
        inner = vars(value).items() if hasattr(value, "__dict__") else ()
        return [(f".{k}", v) for k, v in list(inner)[:50] if hasattr(v, "requires_grad")]
    found = [(f".{path}", parameter) for path, parameter in value.named_parameters()]
    for kept, inner in vars(value).items():  # layers in a plain list are not registered
        if isinstance(inner, (list, tuple, dict)) and not kept.startswith("_"):
            found += [(f".{kept}{path}", one) for path, one in _parts_of(inner)]
    return found


class Leaf:
    """What is noted of one leaf."""

    ref = None  # a weak reference to the tensor

    def __init__(self, name):
        self.name, self.line = name, 0  # and the line of the last pass that reached it
        self.passes = self.nonzero = 0  # gradients that arrived; those that were not all zero
        self.updates = 0  # changes of its numbers after a pass
        self.update_line, self.update_name = 0, ""  # the last change in place, and its name there
        self.value = self.grad = self.last_g = None  # as of the last pass
        self.moved_since = False  # its numbers are others than at the last pass
        self.pending = False  # a step with a gradient was made since
        self.dirty, self.dirty_steps = False, 0  # .grad has what an earlier step already used
        self.seen = []  # the first few .grad
        self.clears, self.cleared = 0, 0  # how often; the line, since the last pass
        self.empty_steps, self.full_steps = 0, 0  # of its optimizer: without a gradient, with one
        self.cleared_at = 0  # where the gradient went that a step then missed
        self.same = True  # every gradient was the same
        self.up = 0  # changes along the gradient
        self.optimizer = 0  # the line of the one that has it
        self.missed = 0  # a line in which its .grad was read and was not there
        self.requires_grad, self.key = True, 0

    def add(self, tensor, g, line):
        """A gradient arrived."""
        self.settle(tensor)
        grad = np.array(numbers(tensor.grad))
        if _same(grad, g) or self.grad is None or not np.isfinite(grad).all():
            self.dirty = False
        elif self.moved_since and _sums(self.grad, g, grad):
            self.dirty = True
        self.same = self.same and (self.passes == 0 or _same(g, self.last_g))
        self.passes, self.nonzero = self.passes + 1, self.nonzero + bool(g.any())
        self.line, self.cleared, self.moved_since, self.pending = line, 0, False, False
        self.grad, self.last_g = grad, np.array(g)
        self.value = np.array(numbers(tensor))
        if len(self.seen) < 4:
            self.seen.append(grad)

    def settle(self, tensor=None):
        """Compare its numbers with those at the last pass. Whether they have moved since."""
        tensor = self.ref() if tensor is None else tensor
        if tensor is None or self.value is None:
            return False
        value = numbers(tensor)
        if value.shape != self.value.shape or value.tobytes() == self.value.tobytes():
            return False
        self.moved_since = True
        self.updates += 1
        self.dirty_steps += self.dirty
        if self.updates < 200:
            self._compare(value - self.value)
        self.value = np.array(value)
        return True

    def _compare(self, move):
        """Note whether it moved along the gradient or against it."""
        with np.errstate(all="ignore"):
            along = float((move * self.grad).sum())
            size = math.sqrt(float((move * move).sum()) * float((self.grad * self.grad).sum()))
        if size and math.isfinite(along):
            self.up += along > 0.9 * size

    def hear_of(self, array, line):
        """Something was changed in place: perhaps this leaf, or its `.grad`."""
        tensor = self.ref()
        if tensor is None or self.value is None or array.shape != self.value.shape:
            return
        if np.may_share_memory(array, numbers(tensor)):
            self.update_line = line
            if self.cleared:
                self.empty_steps, self.cleared_at = self.empty_steps + 1, self.cleared
            else:
                self.full_steps, self.pending = self.full_steps + 1, True
        elif tensor.grad is not None and np.may_share_memory(array, numbers(tensor.grad)):
            if not array.any():
                self.clear(line)
            elif np.array_equal(numbers(tensor), self.value):  # clipped, before the step
                self.grad = np.array(array)

    def clear(self, line):
        """Its gradient was taken away, or set to zero."""
        self.clears, self.cleared = self.clears + 1, line

    def step(self, tensor, line):
        """Its optimizer makes a step."""
        self.update_line, self.update_name = line, ""
        if tensor.grad is not None and np.any(numbers(tensor.grad)):
            self.full_steps, self.pending = self.full_steps + 1, True
        elif self.cleared or self.grad is not None and self.grad.any():
            self.empty_steps, self.cleared_at = self.empty_steps + 1, self.cleared


def _same(one, two):
    """Whether two arrays are equal; mostly they are, to the bit, and that is told fastest."""
    return one.tobytes() == two.tobytes() or np.array_equal(one, two)


def _sums(before, g, now):
    """Whether a gradient was added to what was there."""
    return before.shape == now.shape and np.array_equal(before + g, now)
