"""What is noted while a learner's program runs: its passes, its leaves, and where things happened.

    with watch(Notes()) as notes: ...

`Notes` hears the engine through `minigrad.autograd.watch` and keeps sums, not histories: of a
training of 10,000 steps as much as of one of 100.
"""

import gc
import sys
import weakref
from collections import Counter, deque

from minigrad import Tensor, is_grad_enabled
from minigrad.autograd.listeners import age
from minigrad.nn import Module

from ..compare.cells import FILE
from .leaves import Leaf, numbers

_TRACED = 40  # passes of which it is noted what stays alive, and what is taken up again
_REMEMBERED = 10_000  # nodes of which something is known
_FLEETING = {"p", "param", "parameter", "self", "t", "v"}  # names in loops over parameters
_DIFFERENCES = {"SubBackward0", "RsubBackward0"}
_OF_A_LOSS = {"Mean", "Sum", "Pow", "Mul", "Div", "Abs", "Add", "Sub", "Neg", "Sqrt"}


def here():
    """The line of the program that is being run; 0 if none is."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def name_of(tensor):
    """The shortest name of a tensor in the program: "w", "model.fc.weight"; or ""."""
    found, frame = [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            variables = [(n, v) for n, v in frame.f_locals.items() if n[:2] != "__"]
            for name, value in variables:
                parts = _parts(name, value) if name not in _FLEETING else ()
                found += [path for path, one in parts if one is tensor]
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


class Site:
    """A line that runs backward passes: how often, from which values, and what became of them."""

    def __init__(self, line):
        self.line, self.passes = line, 0
        self.losses, self.last = [], deque(maxlen=8)  # the first 200 values, the last ones
        self.moves = 0  # passes with a change of some parameter before them
        self.keeps = 0  # passes that kept their graph
        self.needed = False  # a later pass needed a graph that was kept
        self.held = []  # for each of the first passes some of its nodes, as long as they live
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
        self.differences = {}  # {age: (line, shapes)} of differences of stretched operands
        self.stretched = {}  # {line: shapes} of those that a loss is made of
        self.optimizers, self.stepping = {}, set()  # {line: optimizer}; lines of those that step
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
        if self.passes > _TRACED:
            return
        tensors = [x for x in operands if isinstance(x, Tensor)]
        if type(node).__name__ in _DIFFERENCES and sum(x.requires_grad for x in tensors) == 1:
            shapes = [tuple(x.shape) for x in tensors]
            self.differences |= {n: (line, shapes)} if len(set(shapes)) == 2 else {}
        made = [age(x.grad_fn) for x in tensors if x.grad_fn is not None] if self.before else []
        self.joins[line] += min(made, default=n) <= self.before

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
        if site.passes <= _TRACED:
            self._count_held(site)
            site.held.append(weakref.WeakSet())
        else:
            site.held.clear()
        self.fresh, self.before = self.before, self.newest

    def _look_around(self, site, near):
        """Note where a root was computed, and the stretched differences that it sums up."""
        site.root_line = self.lines.get(age(near[0]), 0) if near else 0
        site.kinds = [operation(node) for node in near[:6]]
        summed = set(near[:1])
        for node in summed and near:
            if node in summed and age(node) in self.differences:
                line, shapes = self.differences[age(node)]
                self.stretched.setdefault(line, shapes)
            elif node in summed and operation(node) in _OF_A_LOSS:
                summed.update(n for n, _ in node.next_functions)
        self.differences.clear()

    def _count_held(self, site):
        """Note whether nodes of all earlier passes but the last one are still there."""
        if site.passes > 4 and site.moves > 1 and not site.grows and all(site.held[:-1]):
            gc.collect()
            site.grows = len(site.held) - 1 if all(site.held[:-1]) else 0

    def ran(self, node, g, grads):
        """A node ran."""
        n, site = age(node), self.site
        if n in self.ran_in:
            self.sites[self.ran_in[n][0]].needed = True
        self.ran_in[n] = site.line, self.passes
        if n > self.fresh and site.held and len(site.held[-1]) < 8:
            site.held[-1].add(node)

    def accumulated(self, tensor, g):
        """A gradient was added to a leaf's `.grad`."""
        self.leaf(tensor).add(tensor, numbers(g), self.site.line)

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
        if len(self.gone) < 1000 and (leaf.passes > 1 or leaf.missed or leaf.optimizer):
            leaf.updates = leaf.updates or leaf.full_steps  # the last one was not seen
            self.gone.append(leaf)

    def finish(self):
        """The program has ended: all leaves that require grad."""
        for leaf in self.leaves.values():
            leaf.settle()
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
        self.optimizers[line] = optimizer
        for param in (p for group in optimizer.param_groups for p in group["params"]):
            self.leaf(param).optimizer = line

    def steps(self, optimizer):
        """An optimizer is about to move its parameters."""
        line = here()
        for param in (p for group in optimizer.param_groups for p in group["params"]):
            leaf, grad = self.leaf(param), param.grad
            self.stepping |= {leaf.optimizer} if self.passes else set()
            self.changes.append((weakref.ref(param), param.shape, param._version + 1, line))
            leaf.step(grad is not None and bool(numbers(grad).any()), line)
