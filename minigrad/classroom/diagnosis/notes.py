"""What is noted while a learner's program runs: its passes, its leaves, and where things happened.

    with watch(Notes()) as notes: ...

`Notes` hears the engine through `minigrad.autograd.watch` and keeps sums, not histories: of a
training of 10,000 steps as much as of one of 100.
"""

import gc
import sys
import weakref
from collections import Counter, deque
from inspect import CO_NEWLOCALS

import numpy as np

from minigrad import Tensor, is_grad_enabled
from minigrad.autograd.listeners import age
from minigrad.nn import Module

from ..compare.cells import FILE
from .leaves import Leaf, numbers

_TRACED = 40  # passes of which it is noted what stays alive, and what is taken up again
_REMEMBERED = 10_000  # nodes of which something is known
_FLEETING = {"p", "param", "parameter", "self", "t", "v"}  # names in loops over parameters
_PAIRED = {"Sub", "Rsub", "Mul", "Div", "Add", "Pow", "Maximum", "Minimum"}
_VIEWS = {"View", "Unsqueeze", "Reshape", "ReshapeAlias", "Expand", "UnsafeView"}
_ALONG = {"Softmax", "LogSoftmax", "Cumsum", "Mm", "Permute", "T", "Transpose", "Index", "Slice"}
_FRAGILE = {  # what makes nan or infinity of ordinary numbers, forward or backward
    *("Log", "Log2", "Log10", "Log1P", "Exp", "Expm1", "Div", "Reciprocal", "Pow", "Sqrt"),
    *("Std", "Var", "Mean", "Norm", "LinalgVectorNorm"),
}


def here():
    """The line of the program that is being run; 0 if none is. Functions of other cells are not."""
    frame, found = sys._getframe(2), []
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            found.append(frame)
            if frame.f_code.co_name == "<module>":  # of this cell: no other one is being run
                break
        frame = frame.f_back
    return next((one.f_lineno for one in found if one.f_globals is found[-1].f_globals), 0)


def name_of(tensor):
    """The shortest name of a tensor in the program: "w", "model.fc.weight"; or ""."""
    found, frame = [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            variables = [(n, v) for n, v in frame.f_locals.items() if n[:2] != "__"]
            for name, value in variables:
                parts = _parts(name, value) if name not in _FLEETING else ()
                found += [path for path, one in parts if one is tensor]
            if frame.f_code.co_flags & CO_NEWLOCALS and isinstance(frame.f_locals, dict):
                frame.f_locals.clear()  # a function's is a copy, which would keep graphs alive
        frame = frame.f_back
    return min(found, key=len, default="")


def _parts(path, value, depth=0):
    """Pairs (path, tensor) of what is in an object, a module, in lists and dictionaries."""
    inner = {}
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, dict):
        inner = {f"[{key!r}]": one for key, one in value.items()}
    elif isinstance(value, (list, tuple)):
        inner = {f"[{k}]": one for k, one in enumerate(value)}
    elif isinstance(value, Module) or type(value).__module__ == "__main__":
        own = getattr(value, "__dict__", {})
        held = {**own, **own.get("_modules", {}), **own.get("_parameters", {})}
        inner = {f".{name}": one for name, one in held.items() if name[0] != "_"}
    for end, one in list(inner.items())[:200] if depth < 5 else ():
        yield from _parts(path + end, one, depth + 1)


def operation(node):
    """What a node does: "Sub" for SubBackward0."""
    return type(node).__name__.partition("Backward")[0]


def below(tensors, limit=3000):
    """The nodes that made some tensors, the nearest first."""
    found, waiting = {}, deque(t.grad_fn for t in tensors if t.grad_fn is not None)
    while waiting and len(found) < limit:
        node = waiting.popleft()
        if node not in found:
            found[node] = True
            waiting.extend(n for n, _ in node.next_functions if n is not None)
    return list(found)


def _is_column_and_row(one, two):
    """Whether of two shapes one is (n, 1) and the other (n,), with n > 1."""
    column, row = sorted((one, two), key=len, reverse=True)
    return column == (*row, 1) and row[0] > 1


class Site:
    """A line that runs backward passes: how often, from which values, and what became of them."""

    def __init__(self, line):
        self.line, self.passes = line, 0
        self.losses, self.last = [], deque(maxlen=8)  # the first 200 values, the last ones
        self.moves = 0  # passes with a change of some parameter before them
        self.keeps = 0  # passes that kept their graph
        self.needed = False  # a later pass needed a graph that was kept
        self.rounds = []  # for each of its first passes, how many sets of nodes there were
        self.grows = 0  # how many earlier passes there were when all their graphs were still there
        self.from_leaf = False  # a pass began at a leaf: it cannot lead to another one
        self.root_line, self.kinds = 0, []  # where its root was computed; the operations next to it


class Notes:
    """A watcher of the engine; its methods are told in `minigrad.autograd.watch`."""

    def __init__(self):
        self.passes, self.sites, self.site = 0, {}, None  # how many; {line: Site}
        self.leaves, self.gone = {}, []  # {id: Leaf}; those whose tensors are gone
        self.lines = {}  # {age of a node: the line that recorded it}
        self.ran_in = {}  # {age of a node: the last pass that ran it, by line and number}
        self.newest = self.before = self.fresh = 0  # the last node: now, before each of two passes
        self.joins = Counter()  # {line: how often it took up what was made before the last pass}
        self.changes = deque(maxlen=300)  # (weak reference, shape, version, line) of those in place
        self.cuts, self.off = {}, set()  # {line: leaves left behind}; where recording was off
        self.missed_results = {}  # {line that made a result: lines where its .grad was asked for}
        self.held = [weakref.WeakSet()]  # nodes recorded between two passes, while they live
        self.outer, self.stretched = {}, {}  # {age: (line, shapes)}, {line: shapes}: see stretch
        self.rows = {}  # {line: the name of the row that a column met there}
        self.partial = {}  # {id of a leaf: [leaf, its numbers, what arrived so far in this pass]}
        self.bad = None  # the first operation that made nan or inf of numbers: (line, what, where)
        self.named = {}  # {(name, line of a pass): the last leaf of that name}
        self.softmaxes = {}  # {line of a loss: line of the softmax that it got the result of}
        self.remade = Counter()  # {line: how often an optimizer was replaced after one step}
        self.optimizers, self.stepping = {}, set()  # {line: optimizer}; lines of those that step
        self.steps_of = (0, 0)  # the newest optimizer, by id, and how many steps it has made
        self.root = None  # a weak reference to the tensor at which the last pass began

    # -- operations ------------------------------------------------------------------------------

    def recorded(self, node, operands, result):
        """An operation left a node."""
        self.newest = n = age(node)
        self.lines[n] = line = here()
        if len(self.lines) > _REMEMBERED:  # forget the older half
            for old in list(self.lines)[: _REMEMBERED // 2]:
                del self.lines[old]
                self.ran_in.pop(old, None)
        tensors = [x for x in operands if isinstance(x, Tensor)]
        if self.bad is None and operation(node) in _FRAGILE:
            self._check(operation(node), tensors, result, line)
        if self.passes > _TRACED:
            return
        before = tensors[0].grad_fn if tensors else None
        if operation(node) == "LogSoftmax" and operation(before) == "Softmax":
            self.softmaxes.setdefault(line, self.lines.get(age(before), 0))
        if len(self.held[-1]) < 60:
            self.held[-1].add(node)
        self._stretch(node, tensors, result, line)
        made = [age(x.grad_fn) for x in tensors if x.grad_fn is not None] if self.before else []
        self.joins[line] += min(made, default=n) <= self.before

    def _check(self, what, tensors, result, line):
        """Note the first operation that made nan or inf of ordinary numbers."""
        if not np.isfinite(numbers(result)).all():
            operands = [numbers(x) for x in tensors]
            if all(np.isfinite(x).all() for x in operands):
                self.bad = line, what, max((float(abs(x).max()) for x in operands), default=0.0)

    def _stretch(self, node, tensors, result, line):
        """Follow what a column (n, 1) against a row (n,) made, until it is one number.

        It was meant if the line made the column on purpose, if something of the full size joins
        it, or if the columns or the rows are summed by themselves.
        """
        shapes, out = [tuple(x.shape) for x in tensors], tuple(result.shape)
        known = [self.outer.get(age(x.grad_fn)) for x in tensors if x.grad_fn is not None]
        found = next(filter(None, known), None)
        if found is None and len(shapes) == 2 and operation(node) in _PAIRED:
            if sorted(map(len, shapes)) == [1, 2] and _is_column_and_row(*shapes):
                column = max(tensors, key=lambda x: len(x.shape))
                made = column.grad_fn
                is_meant = made is not None and operation(made) in _VIEWS
                found = None if is_meant else (line, shapes)
                row = min(tensors, key=lambda x: len(x.shape))
                if found and not row.requires_grad and line not in self.rows:
                    self.rows[line] = name_of(row)
        elif found is not None and result.numel() == 1:
            if operation(node) in ("Mean", "Sum"):
                self.stretched.setdefault(*found)
            found = None
        elif found is not None:
            joined = [x for x in tensors if tuple(x.shape) == out]
            derived = [self.outer.get(age(x.grad_fn)) for x in joined if x.grad_fn is not None]
            is_whole = len(joined) == len(derived) and all(derived)
            same = joined and is_whole and operation(node) not in _ALONG
            found = found if same else None
        if found is not None:
            self.outer[age(node)] = found

    def cut(self, operands):
        """Numbers left the graph."""
        tensors = [x for x in operands if isinstance(x, Tensor) and x.requires_grad]
        line = here()
        if tensors and line not in self.cuts:
            found = [tensor for tensor in tensors if tensor.is_leaf]
            found += [node.variable for node in below(tensors) if hasattr(node, "variable")]
            self.cuts[line] = {self.leaf(tensor) for tensor in found}
            self.off |= set() if is_grad_enabled() else {line}

    # -- passes ----------------------------------------------------------------------------------

    def begins(self, outputs, keeps):
        """A pass begins."""
        line, root = here(), outputs[0]
        self._give_out()
        site = self.site = self.sites.setdefault(line, Site(line))
        self.root = weakref.ref(root)
        self.passes, site.passes = self.passes + 1, site.passes + 1
        site.keeps += bool(keeps)
        site.moves += any([leaf.settle() for leaf in list(self.leaves.values())])
        site.from_leaf = site.from_leaf or root.is_leaf
        if len(outputs) == root.numel() == 1:
            site.last.append(float(numbers(root).reshape(())))
            site.losses += [site.last[-1]] if len(site.losses) < 200 else []
        if site.passes < 6:
            self._look_around(site, below(outputs, 40))
        self._count_held(site)
        self.outer.clear()
        self.fresh, self.before = self.before, self.newest

    def _look_around(self, site, near):
        """Note where a root was computed, and what was done last."""
        site.root_line = self.lines.get(age(near[0]), 0) if near else 0
        site.kinds = [operation(node) for node in near[:6]]

    def _count_held(self, site):
        """Note whether something of all earlier rounds is still there, but of the last one."""
        if self.passes > _TRACED:
            self.held.clear()
            self.held.append(weakref.WeakSet())
            return
        site.rounds.append(len(self.held))
        self.held.append(weakref.WeakSet())
        if site.passes > 5 and site.moves > 1 and not site.grows and self._all_live(site):
            gc.collect()
            site.grows = site.passes - 2 if self._all_live(site) else 0

    def _all_live(self, site):
        """Whether each round of a site, the first and the last aside, has nodes that live."""
        spans = list(zip(site.rounds, site.rounds[1:]))[:-1]
        return all(any(self.held[first:end]) for first, end in spans)

    def ran(self, node, g, grads):
        """A node ran."""
        n, site = age(node), self.site
        if n in self.ran_in:
            self.sites[self.ran_in[n][0]].needed = True
        self.ran_in[n] = site.line, self.passes
        if self.bad is None and operation(node) in _FRAGILE:
            sent = [numbers(one) for one in grads if one is not None]
            if np.isfinite(numbers(g)).all() and not all(np.isfinite(one).all() for one in sent):
                what = f"the derivative of {operation(node)}"
                self.bad = self.lines.get(n, site.line), what, float(abs(numbers(g)).max())
        for (follower, _), one in zip(node.next_functions, grads):
            if one is not None and hasattr(follower, "variable"):
                leaf, known = follower.variable, self.leaves.get(id(follower.variable))
                if known is not None and known.passes:  # its `.grad` tells it
                    continue
                if id(leaf) not in self.partial:
                    self.partial[id(leaf)] = [leaf, np.array(numbers(leaf)), 0.0]
                with np.errstate(all="ignore"):
                    self.partial[id(leaf)][2] = self.partial[id(leaf)][2] + np.array(numbers(one))

    def accumulated(self, tensor, g):
        """A gradient was added to a leaf's `.grad`."""
        self._reached(tensor).add(tensor, numbers(g), self.site.line)
        self.partial.pop(id(tensor), None)

    def _give_out(self):
        """Tell leaves of gradients that went to whoever called grad(), and not to `.grad`."""
        for tensor, value, g in self.partial.values():
            if self.site and g.shape == value.shape:
                leaf = self._reached(tensor, value)
                if not leaf.passes:
                    leaf.reached(value, g, self.site.line)
        self.partial.clear()

    def _reached(self, tensor, value=None):
        """What is noted of a leaf that a pass has reached. It may go on with another one's course.

        `w = (w - lr * w.grad).detach().requires_grad_()` makes a new leaf, the same parameter.
        """
        is_new = id(tensor) not in self.leaves
        leaf = self.leaf(tensor)
        place = leaf.name, self.site.line
        old = self.named.get(place)
        if is_new and leaf.name and old is not None and old.value is not None:
            value = np.array(numbers(tensor)) if value is None else value
            if old.course.goes_on(old.value, value, old.grad):
                self.site.moves += 1
                leaf.course = old.course
                leaf.course.add(old.value, value, old.grad, 0)
                self.gone = [one for one in self.gone if one is not old]
                old.superseded = True
            else:
                leaf.course.rate_before = old.course.first_rate or old.course.rate_before
        if leaf.name and len(self.named) < 1000:
            self.named[place] = leaf
        return leaf

    # -- leaves ----------------------------------------------------------------------------------

    def leaf(self, tensor):
        """What is noted of a leaf."""
        key = id(tensor)
        if key not in self.leaves:
            name = name_of(tensor) if len(self.gone) < 100 else ""
            ref = weakref.ref(tensor, lambda _: self._lose(key))
            self.leaves[key] = Leaf(name, ref, tensor.requires_grad)
        return self.leaves[key]

    def _lose(self, key):
        leaf = self.leaves.pop(key)
        lasts = leaf.passes > 1 or leaf.missed or leaf.optimizer or leaf.updates
        if len(self.gone) < 1000 and lasts and not leaf.superseded:
            leaf.course.updates = leaf.updates or leaf.full_steps  # the last one was not seen
            self.gone.append(leaf)

    def finish(self):
        """The program has ended: all leaves that require grad."""
        self._give_out()
        for leaf in list(self.leaves.values()):
            leaf.settle()
            tensor = leaf.ref()
            leaf.requires_grad = leaf.requires_grad if tensor is None else tensor.requires_grad
        return [leaf for leaf in (*self.leaves.values(), *self.gone) if leaf.requires_grad]

    def changed(self, tensor):
        """Numbers were changed in place."""
        line, array = here(), numbers(tensor)
        self.changes.append((weakref.ref(tensor), tensor.shape, tensor._version, line))
        for leaf in self.leaves.values():
            leaf.hear_of(array, line)

    def cleared(self, tensor):
        """A `.grad` is taken away."""
        if id(tensor) in self.leaves:
            self.leaves[id(tensor)].clear(here())

    def missed(self, tensor):
        """A `.grad` was read that is not there."""
        if self.passes:
            made = self.lines.get(age(tensor.grad_fn), 0) if tensor.grad_fn is not None else None
            results = self.missed_results
            seen = self.leaf(tensor).missed if made is None else results.setdefault(made, [])
            seen += [here()] if len(seen) < 10 else []

    # -- optimizers ------------------------------------------------------------------------------

    def optimizes(self, optimizer):
        """An optimizer was made."""
        line = here()
        old = self.optimizers.get(line)
        if old is not None and old.state and self.steps_of == (id(old), 1):
            mine = [[id(p) for p in one.param_groups[0]["params"]] for one in (old, optimizer)]
            self.remade[line] += mine[0] == mine[1]
        self.optimizers[line], self.steps_of = optimizer, (id(optimizer), 0)
        for param in (p for group in optimizer.param_groups for p in group["params"]):
            self.leaf(param).optimizer = line

    def steps(self, optimizer):
        """An optimizer is about to move its parameters."""
        line, (newest, count) = here(), self.steps_of
        self.steps_of = newest, count + (newest == id(optimizer))
        pairs = [(p, group) for group in optimizer.param_groups for p in group["params"]]
        for param, group in pairs:
            leaf, grad = self.leaf(param), param.grad
            self.stepping |= {leaf.optimizer} if self.passes else set()
            self.changes.append((weakref.ref(param), param.shape, param._version + 1, line))
            has_gradient = grad is not None and bool(numbers(grad).any())
            leaf.optimizer_step(has_gradient, abs(group.get("lr", 0)), line)
