"""What is noted while a learner's program runs: its passes, its leaves, and where things happened.

    with watch(Notes(source, tick)) as notes: ...

`Notes` hears the engine through `minigrad.autograd.watch` and keeps sums, not histories: of a
training of 10,000 steps as much as of one of 100.
"""

import sys
import weakref
from collections import Counter, deque

from minigrad.autograd.watching import age

from ..cells import FILE
from .leaves import SHORT_LIVED, Leaf, name_of, numbers

_TRACED = 40  # passes of one line, of which it is noted what stays alive
_LINES = 100_000  # nodes whose line is remembered
_LOSS_STEPS = {"Mean", "Sum", "Pow", "Mul", "Div", "Abs", "Add", "Sub", "Neg", "Sqrt"}


def frames():
    """The program's own frames, the innermost first."""
    found, frame = [], sys._getframe(1)
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


def leaves_below(tensors):
    """The leaves from which some tensors were computed."""
    found = [t for t in tensors if t.requires_grad and t.is_leaf]
    return found + [n.variable for n in below(tensors) if hasattr(n, "variable")]


class Site:
    """A line that runs backward passes: how often, from which values, and what became of them."""

    def __init__(self, line):
        self.line, self.passes = line, 0
        self.losses, self.worst, self.last = [], 0.0, []  # the first 200, the largest, the last 8
        self.keeps = 0  # passes that kept their graph
        self.needed = False  # a later pass needed a graph that was kept
        self.moves = 0  # passes with a change of some parameter before them
        self.held = []  # weak references to nodes of the first passes, a list for each
        self.grows = []  # at the pass where all of them were found alive: how many nodes
        self.leaf_root = False  # a pass began at a leaf: it cannot lead to another one
        self.root_line = 0  # where its root was computed
        self.kinds = ()  # the operations next to the root
        self.inputs = False  # grad(), or backward(inputs=...)

    def note_loss(self, value):
        """Note the value that a pass starts from."""
        if len(self.losses) < 200:
            self.losses.append(value)
        self.last = [*self.last[-7:], value]
        self.worst = max(self.worst, abs(value)) if value == value else float("inf")


class Notes:
    """A watcher of the engine. source: the program; tick: raises when its time is over."""

    def __init__(self, source, tick):
        self.source, self.tick = source, tick
        self.busy, self.depth = False, 0  # in so many passes, or looking itself
        self.steps = 0  # passes so far
        self.sites, self.site = {}, None
        self.leaves, self.forgotten = {}, []  # {id: Leaf}; those whose tensors are gone
        self.lines = {}  # {age of a node: the line that recorded it}
        self.ran_in = {}  # {age of a node: the last pass that ran it, by line and number}
        self.newest = self.before = 0  # ages: of the last node, of the last node before the pass
        self.joins = Counter()  # {line: how often it took up what was made before the last pass}
        self.changes = deque(maxlen=300)  # (weak reference, version, line) of changes in place
        self.cuts = {}  # {line: ids of the leaves that were left behind there}
        self.cut_at, self.off = Counter(), set()  # how often; where recording was off
        self.missed_results = {}  # {line that made a result: line where its .grad was asked for}
        self.differences = {}  # {age: (line, shapes)} of differences of stretched operands
        self.stretched = {}  # {line: (shapes, line of the pass)} of those that a loss is made of
        self.optimizers = {}  # {line: (optimizer, lines of its first steps, ids of parameters)}
        self.roots = ()
        self.moved = False  # a parameter was moved since the last pass

    # -- operations ------------------------------------------------------------------------------

    def recorded(self, node, operands, result):
        """An operation left a node."""
        self.newest = n = age(node)
        line = self.lines[n] = here()
        if len(self.lines) > _LINES:
            self._forget()
        if self.busy or self.steps > 4 * _TRACED:
            return
        if operation(node) in ("Sub", "Rsub"):
            tensors = [x for x in operands if hasattr(x, "grad_fn")]
            shapes = [tuple(x.shape) for x in tensors]
            has_target = sum(x.requires_grad for x in tensors) == 1
            if len(shapes) == 2 and shapes[0] != shapes[1] and has_target:
                self.differences[n] = line, shapes
        if self.before:
            for operand in operands:
                made = getattr(operand, "grad_fn", None)
                if made is not None and age(made) <= self.before:
                    self.joins[line] += 1
                    break

    def unrecorded(self, operands, result):
        """An operation was not recorded, because recording is off."""
        if self.busy:
            return
        line = here()
        self.off.add(line)
        self._note_cut(line, operands)

    def cut(self, tensor, alias=None):
        """Numbers left the graph."""
        if not self.busy and (tensor.requires_grad or not tensor.is_leaf):
            self._note_cut(here(), [tensor])

    def _note_cut(self, line, tensors):
        self.cut_at[line] += 1
        if self.cut_at[line] > 2:
            return
        before, self.busy = self.busy, True
        tensors = [t for t in tensors if hasattr(t, "grad_fn")]
        self.cuts.setdefault(line, set()).update(map(id, leaves_below(tensors)))
        self.busy = before

    # -- passes ----------------------------------------------------------------------------------

    def asked(self, outputs, inputs, keeps):
        """A pass is about to begin."""
        self.tick()
        if self.busy:
            return  # a pass of a function's own, within a pass
        self.busy, line = True, here()
        site = self.site = self.sites.setdefault(line, Site(line))
        self.steps, site.passes = self.steps + 1, site.passes + 1
        site.keeps, site.inputs = site.keeps + bool(keeps), inputs is not None
        site.moves += self._have_leaves_moved()
        self.moved = False
        self.roots = [weakref.ref(output) for output in outputs]
        self._note_roots(site, outputs)
        if 4 < site.passes <= _TRACED and site.moves > 1 and not site.grows:
            self._count_held(site)
        site.held = [*site.held, []] if site.passes <= _TRACED else []
        self.fresh, self.before = self.before, self.newest
        self.busy = False

    def entered(self):
        """The pass begins: from here to its end what is heard is not the program's."""
        self.depth += 1
        self.busy = True

    def _note_roots(self, site, outputs):
        root = outputs[0]
        if len(outputs) == 1 and root.numel() == 1:
            site.note_loss(float(numbers(root).reshape(-1)[0]))
        site.leaf_root = site.leaf_root or (root.is_leaf and root.requires_grad)
        if root.grad_fn is None or site.passes > _TRACED:
            return
        near = below(outputs, 40)
        site.root_line = self.lines.get(age(near[0]), site.root_line)
        site.kinds = tuple(operation(node) for node in near[:6])
        for node in self._differences(near):
            line, shapes = self.differences[age(node)]
            self.stretched.setdefault(line, (shapes, site.line))
        self.differences.clear()

    def _differences(self, near):
        """Of the nodes near a root the stretched differences that it sums up."""
        allowed = set()
        for node in near:
            if node is near[0] or node in allowed:
                if age(node) in self.differences:
                    yield node
                elif operation(node) in _LOSS_STEPS:
                    allowed.update(n for n, _ in node.next_functions if n is not None)

    def _count_held(self, site):
        """Note whether a node of every earlier pass but the last one is still there."""
        alive = [[ref for ref in refs if ref() is not None] for refs in site.held[:-1]]
        if len(alive) >= 3 and all(alive):
            import gc

            gc.collect()
            alive = [[ref for ref in refs if ref() is not None] for refs in site.held[:-1]]
            if all(alive):
                site.grows = [len(refs) for refs in alive]

    def ran(self, node, g, grads):
        """A node ran."""
        n, site = age(node), self.site
        if n in self.ran_in:
            self.sites[self.ran_in[n][0]].needed = True
        self.ran_in[n] = site.line, self.steps
        if n > self.fresh and site.held and len(site.held[-1]) < 8:
            site.held[-1].append(weakref.ref(node))

    def accumulated(self, leaf, g):
        """A gradient was added to a leaf's `.grad`."""
        looking, self.busy = self.busy, True
        self.leaf(leaf).add(leaf, numbers(g), self.site.line)
        self.busy = looking

    def left(self):
        """The pass has ended."""
        self.depth -= 1
        self.busy = self.depth > 0

    def _forget(self):
        """Let go of the lines of the older half of the nodes."""
        for notes in (self.lines, self.ran_in):
            for n in list(notes)[: len(notes) // 2]:
                del notes[n]

    # -- leaves ----------------------------------------------------------------------------------

    def leaf(self, tensor):
        """What is noted of a leaf."""
        found = self.leaves.get(id(tensor))
        if found is None:
            found = self.leaves[id(tensor)] = Leaf(name_of(tensor, frames()))
            key = found.key = id(tensor)
            found.ref = weakref.ref(tensor, lambda _: self._gone(key))
            found.requires_grad = tensor.requires_grad
        return found

    def _gone(self, key):
        leaf = self.leaves.pop(key, None)
        if leaf is None or len(self.forgotten) > 1000:
            return
        if leaf.passes > 1 or leaf.missed or leaf.optimizer:
            leaf.updates += leaf.pending
            self.forgotten.append(leaf)

    def _have_leaves_moved(self):
        for leaf in list(self.leaves.values()):
            self.moved = leaf.settle() or self.moved
        return self.moved

    def changed(self, tensor):
        """Numbers were changed in place."""
        self.tick()
        if self.busy:
            return
        self.busy, line = True, here()
        self.changes.append((weakref.ref(tensor), tuple(tensor.shape), tensor._version, line))
        array = numbers(tensor)
        for leaf in self.leaves.values():
            before = leaf.update_line
            leaf.hear_of(array, line)
            if leaf.update_line != before:
                leaf.update_name = name_of(leaf.ref(), frames(), any_name=True)
        self.busy = False

    def cleared(self, tensor):
        """A `.grad` is taken away."""
        leaf = self.leaves.get(id(tensor))
        if leaf is not None and not self.busy:
            leaf.clear(here())

    def missed(self, tensor):
        """A `.grad` was read that is not there."""
        line = 0 if self.busy or not self.steps else here()
        if not line or ".grad" not in self.source.text(line) or self.source.is_guarded(line):
            return
        self.busy = True
        node = tensor.grad_fn
        if node is not None:
            self.missed_results.setdefault(self.lines.get(age(node), 0), line)
        else:
            self.leaf(tensor).missed = line
        self.busy = False

    # -- optimizers ------------------------------------------------------------------------------

    def optimizes(self, optimizer):
        """An optimizer was made."""
        before, self.busy, line = self.busy, True, here()
        params = [p for group in optimizer.param_groups for p in group["params"]]
        self.optimizers[line] = optimizer, [], {id(p) for p in params}
        for param in params:
            self.leaf(param).optimizer = line
        self.busy = before

    def stepped(self, optimizer):
        """An optimizer is about to move its parameters."""
        self.tick()
        before, self.busy, line = self.busy, True, here()
        for known, steps, _ in self.optimizers.values():
            if known is optimizer and len(steps) < 3:
                steps.append(line)
        for param in (p for group in optimizer.param_groups for p in group["params"]):
            self.changes.append((weakref.ref(param), tuple(param.shape), param._version + 1, line))
            if id(param) in self.leaves:
                self.leaves[id(param)].step(param, line)
        self.busy = before

    def finish(self, space):
        """The program has ended; `space` has its names."""
        self.busy = True
        for name, value in space.items():
            if hasattr(value, "requires_grad") and hasattr(value, "is_leaf") and value.is_leaf:
                leaf = self.leaf(value)
                leaf.name = name if leaf.name in ("", *SHORT_LIVED) else leaf.name
        self._have_leaves_moved()
