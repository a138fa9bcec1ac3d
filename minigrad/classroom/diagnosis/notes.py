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
from minigrad.autograd.watching import age

from ..cells import FILE
from .leaves import Leaf, numbers

_TRACED = 40  # passes of one line, of which it is noted what stays alive
_REMEMBERED = 20_000  # nodes whose line is known
_FLEETING = {"p", "param", "parameter", "self", "t", "v"}  # names in loops over parameters
_OF_A_LOSS = {"Mean", "Sum", "Pow", "Mul", "Div", "Abs", "Add", "Sub", "Neg", "Sqrt"}


def frames():
    """The program's own frames, the innermost first."""
    found, frame = [], sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            found.append(frame)
        frame = frame.f_back
    return found


def here():
    """The line of the program that is being run; 0 if none is."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def name_of(tensor):
    """A name by which the program knows a tensor: "w", "model.fc.weight"; "" if there is none."""
    around = [[(n, v) for n, v in f.f_locals.items() if n[:2] != "__"] for f in frames()]
    for variables in around:
        for name, value in variables:
            if value is tensor and name not in _FLEETING:
                return name
    for variables in reversed(around):
        for name, value in variables:
            if found := next((path for path, one in _parts(name, value) if one is tensor), ""):
                return found
    return ""


def _parts(path, value, depth=0):
    """Pairs (path, tensor) of what is in a module, in an object, in lists and dictionaries."""
    inner, own = (), type(value).__module__ == "__main__"
    if isinstance(value, Tensor) and depth:
        yield path, value
    elif isinstance(value, dict):
        inner = [(f"{path}[{key!r}]", one) for key, one in value.items()]
    elif isinstance(value, (list, tuple)):
        inner = [(f"{path}[{k}]", one) for k, one in enumerate(value)]
    elif hasattr(value, "named_parameters") and not isinstance(value, type):
        yield from [(f"{path}.{name}", one) for name, one in value.named_parameters()]
        own = True  # layers in a plain list are not registered
    if own and hasattr(value, "__dict__"):
        inner = [(f"{path}.{k}", one) for k, one in vars(value).items() if k[0] != "_"]
    for name, one in inner[:200] if depth < 4 else ():
        yield from _parts(name, one, depth + 1)


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


def remember(notes, n, what):
    """Note something about a node's age; the older half is forgotten before it gets too much."""
    notes[n] = what
    if len(notes) > _REMEMBERED:
        for old in list(notes)[: _REMEMBERED // 2]:
            del notes[old]


class Site:
    """A line that runs backward passes: how often, from which values, and what became of them."""

    def __init__(self, line):
        self.line, self.passes = line, 0
        self.losses, self.last = [], deque(maxlen=8)  # the first 200 values, the last ones
        self.moves = 0  # passes with a change of some parameter before them
        self.keeps = 0  # passes that kept their graph
        self.needed = False  # a later pass needed a graph that was kept
        self.held = []  # for each of the first passes some of its nodes, as long as they live
        self.grows = 0  # how many passes there had been, when all of their graphs were found alive
        self.from_leaf = False  # a pass began at a leaf: it cannot lead to another one
        self.root_line, self.kinds = 0, ()  # where its root was computed; the operations next to it

    def note(self, loss):
        """Note the value that a pass starts from."""
        self.last.append(loss)
        if len(self.losses) < 200:
            self.losses.append(loss)

    def count_held(self):
        """Note whether a node of every earlier pass but the last one is still there."""
        if all(self.held[:-1]):
            gc.collect()
            self.grows = len(self.held) - 1 if all(self.held[:-1]) else 0


class Notes:
    """A watcher of the engine; its methods are told in `minigrad.autograd.watch`."""

    def __init__(self):
        self.passes, self.sites, self.site = 0, {}, None  # how many; {line: Site}
        self.leaves, self.gone = {}, []  # {id: Leaf}; those whose tensors are gone
        self.lines = {}  # {age of a node: the line that recorded it}
        self.ran_in = {}  # {age of a node: the last pass that ran it, by line and number}
        self.newest = self.before = self.fresh = 0  # the last node: now, before each of two passes
        self.joins = Counter()  # {line: how often it took up what was made before the last pass}
        self.changes = deque(maxlen=300)  # (weak reference, version, line) of changes in place
        self.cuts, self.off = {}, set()  # {line: leaves left behind}; where recording was off
        self.missed_results = {}  # {line that made a result: lines where its .grad was asked for}
        self.differences = {}  # {age: (line, shapes)} of differences of stretched operands
        self.stretched = {}  # {line: shapes} of those that a loss is made of
        self.optimizers, self.stepping = {}, set()  # {line: optimizer}; lines of those that step
        self.root = lambda: None  # the tensor that the last pass began at

    # -- operations ------------------------------------------------------------------------------

    def recorded(self, node, operands, result):
        """An operation left a node."""
        self.newest = n = age(node)
        line = here()
        remember(self.lines, n, line)
        if self.passes > 4 * _TRACED:
            return
        if operation(node) in ("Sub", "Rsub"):
            tensors = [x for x in operands if isinstance(x, Tensor)]
            shapes = [tuple(x.shape) for x in tensors]
            if len(set(shapes)) == 2 and sum(x.requires_grad for x in tensors) == 1:
                self.differences[n] = line, shapes
        made = [x.grad_fn for x in operands if isinstance(x, Tensor) and x.grad_fn is not None]
        self.joins[line] += any(age(one) <= self.before for one in made)

    def cut(self, operands):
        """Numbers left the graph."""
        tensors = [x for x in operands if isinstance(x, Tensor) and x.requires_grad]
        line = here()
        if not tensors or line in self.cuts:
            return
        if not is_grad_enabled():
            self.off.add(line)
        found = [tensor for tensor in tensors if tensor.is_leaf]
        found += [node.variable for node in below(tensors) if hasattr(node, "variable")]
        self.cuts[line] = {self.leaf(tensor) for tensor in found}

    # -- passes ----------------------------------------------------------------------------------

    def begins(self, outputs, keeps):
        """A pass begins."""
        line = here()
        site = self.site = self.sites.setdefault(line, Site(line))
        self.passes, site.passes = self.passes + 1, site.passes + 1
        site.keeps += bool(keeps)
        site.moves += any([leaf.settle() for leaf in list(self.leaves.values())])
        self.root, root = weakref.ref(outputs[0]), outputs[0]
        site.from_leaf = site.from_leaf or root.is_leaf
        if len(outputs) == root.numel() == 1:
            site.note(float(numbers(root).reshape(())))
        if site.passes <= _TRACED:
            self._look_around(site, outputs)
            if site.passes > 4 and site.moves > 1 and not site.grows:
                site.count_held()
            site.held.append(weakref.WeakSet())
        else:
            site.held.clear()
        self.fresh, self.before = self.before, self.newest

    def _look_around(self, site, outputs):
        """Note where a root was computed, and the stretched differences that it sums up."""
        near = below(outputs, 40)
        site.root_line = self.lines.get(age(near[0]), 0) if near else 0
        site.kinds = [operation(node) for node in near[:6]]
        summed = set(near[:1])
        for node in near:
            if node in summed and age(node) in self.differences:
                line, shapes = self.differences[age(node)]
                self.stretched.setdefault(line, shapes)
            elif node in summed and operation(node) in _OF_A_LOSS:
                summed.update(n for n, _ in node.next_functions)
        self.differences.clear()

    def ran(self, node, g, grads):
        """A node ran."""
        n, site = age(node), self.site
        if n in self.ran_in:
            self.sites[self.ran_in[n][0]].needed = True
        remember(self.ran_in, n, (site.line, self.passes))
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
            ref = weakref.ref(tensor, lambda _: self._lose(key))
            self.leaves[key] = Leaf(name_of(tensor), ref, tensor.requires_grad)
        return self.leaves[key]

    def _lose(self, key):
        leaf = self.leaves.pop(key)
        if len(self.gone) < 1000 and (leaf.passes > 1 or leaf.missed or leaf.optimizer):
            leaf.updates = leaf.updates or leaf.full_steps  # the last one was not seen
            self.gone.append(leaf)

    def known(self):
        """All leaves that require grad."""
        return [leaf for leaf in (*self.leaves.values(), *self.gone) if leaf.requires_grad]

    def changed(self, tensor):
        """Numbers were changed in place."""
        line, array = here(), numbers(tensor)
        self.changes.append((weakref.ref(tensor), tuple(tensor.shape), tensor._version, line))
        for leaf in self.leaves.values():
            leaf.hear_of(array, line)

    def cleared(self, tensor):
        """A `.grad` is taken away."""
        if id(tensor) in self.leaves:
            self.leaves[id(tensor)].clear(here())

    def missed(self, tensor):
        """A `.grad` was read that is not there."""
        if self.passes:
            node = tensor.grad_fn
            made = node and self.lines.get(age(node), 0)
            seen = self.missed_results.setdefault(made, []) if node else self.leaf(tensor).missed
            if len(seen) < 10:
                seen.append(here())

    # -- optimizers ------------------------------------------------------------------------------

    def optimizes(self, optimizer):
        """An optimizer was made."""
        line = here()
        self.optimizers[line] = optimizer
        for group in optimizer.param_groups:
            for param in group["params"]:
                self.leaf(param).optimizer = line

    def steps(self, optimizer):
        """An optimizer is about to move its parameters."""
        line = here()
        for group in optimizer.param_groups:
            for param in group["params"]:
                leaf, grad = self.leaf(param), param.grad
                self.stepping.add(leaf.optimizer)
                told = weakref.ref(param), tuple(param.shape), param._version + 1, line
                self.changes.append(told)
                leaf.step(grad is not None and bool(numbers(grad).any()), line)

    def finish(self):
        """The program has ended."""
        for leaf in self.leaves.values():
            leaf.settle()
