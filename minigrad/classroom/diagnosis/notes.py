"""What is noted while a learner's program runs: its passes, its leaves, and where things happened.

    with watch(Notes()) as notes: ...

`Notes` hears the engine through `minigrad.autograd.watch` and keeps sums, not histories: of a
training of 10,000 steps as much as of one of 100.
"""

import gc
import inspect
import weakref
from collections import Counter, deque
from weakref import WeakKeyDictionary

import numpy as np

from minigrad import Tensor, is_grad_enabled
from minigrad.nn import Dropout, Module, Parameter

from .leaves import Leaf, is_finite, numbers
from .sites import Made, Site, below, operation, tells
from .where import here, lines, name_of, named

_TRACED = 24  # passes of which it is noted what stays alive, and what is taken up again
_IDLE = 50  # passes after which a leaf that none reaches is no longer looked at in each
_ARRAYS = Tensor, np.ndarray, np.generic  # a gradient; to one of several results go lists
_VIEWS = {"View", "Unsqueeze", "Reshape", "ReshapeAlias", "Expand", "UnsafeView"}
_SUMS = {"Add", "Sub"}
_LINEAR = {"Mean", "Sum", "Div", "Mul", "Neg", *_VIEWS}
_ALONG = {"Softmax", "LogSoftmax", "Cumsum", "Mm"}  # one dimension by itself
_SQUASHED = {  # what applies a softmax or a sigmoid itself, or its logarithm: what it may not get
    "LogSoftmax": ["Softmax"],
    "NllLoss": ["Softmax"],
    "Log1P": ["Exp", "Where", "Mul", "Neg", "Sigmoid"],  # of the softplus in a loss of logits
}
_FRAGILE = {  # what makes nan or infinity of ordinary numbers, forward or backward
    *("Log", "Log2", "Log10", "Log1P", "Exp", "Expm1", "Div", "Reciprocal", "Pow", "Sqrt"),
    *("Std", "Var", "Mean", "Norm", "LinalgVectorNorm", "BinaryCrossEntropy"),
}


def _where_it_fails(operands, result):
    """The numbers of which an elementwise operation made the first nan or inf; None of others."""
    arrays = [numbers(x) for x in operands if isinstance(x, (Tensor, int, float))]
    try:
        arrays = [np.broadcast_to(one, result.shape) for one in arrays]
    except ValueError:
        return None
    place = tuple(np.argwhere(~np.isfinite(result))[0])
    return [float(one[place]) for one in arrays], float(result[place])


class Notes:
    """A watcher of the engine; its methods are told in `minigrad.autograd.watch`."""

    def __init__(self):
        self.passes, self.sites, self.site = 0, {}, None  # how many; {line: Site}
        self.moved_at = 0  # the newest pass with a change of some leaf before it
        self.leaves, self.gone = {}, []  # {id: Leaf}; those whose tensors are gone
        self.references = {}  # {id: the weak reference that reports the end of this tensor}
        self.made = {}  # {id of a node: Made}, while the node lives
        self.recording = set()  # lines that recorded something, those of calls around them, too
        self.joins = {}  # {lines that took up what was made before the last pass: True}
        self.changes = deque(maxlen=300)  # (weak reference, version, line) of those in place
        self.cuts, self.off = {}, set()  # {line: leaves left behind}; where recording was off
        self.missed_results = {}  # {lines that rebound a leaf's name: where its .grad was read}
        self.functions = {}  # {a Function of the program's: the leaves that it returned None for}
        # {a Function: (where it was used, the code of its backward, the v that it got, if that was
        # not 1, whether what it gave has the shape of v)}
        self.weighed = {}
        self.unkept = {}  # {line: the name of a result whose .grad was read there and is None}
        self.crossed, self.stretched = {}, set()  # {line: (shapes, name of the row)}: see _stretch
        self.partial = {}  # {id of a leaf: [leaf, its numbers, what arrived so far in this pass]}
        self.spoilt = None  # given numbers with nan: (line that met them, name, how many, of all)
        self.bad = None  # what first made nan or inf: (line, operation, of which numbers, largest)
        self.named = {}  # {(name, line of a pass): the last leaf of that name}
        self.is_dry = False  # whether some leaf has got nothing but zeros lately
        self.is_traced = False  # whether it is noted in this pass where zeros come from
        self.zeroed = {}  # {(line, operation that sent zeros back): the leaves behind it}
        self.squashed = {}  # {line of a loss: (line, of what it got the result, what it does)}
        self.no_logarithms = {}  # {line of an nll_loss: (a row's sum, the line of a log_softmax)}
        self.remade = Counter()  # {line: how often an optimizer was replaced after one step}
        # {line: in how many rounds parameters without a name ended after one pass, the last pass}
        self.fleeting = {}
        self.optimizers, self.stepping = {}, set()  # {line: optimizer}; lines of those that step
        self.steps_of = (0, 0)  # the newest optimizer, by id, and how many steps it has made
        self.stepped = {}  # {id of a parameter: its version after the last step}
        self.idle_steps = 0  # of optimizers that found no gradient at all
        self.layers = WeakKeyDictionary()  # {optimizer: the layers of what it trains}
        self.dropouts = WeakKeyDictionary()  # {optimizer: the Dropout layers among them}
        self.modes = WeakKeyDictionary()  # {optimizer: (steps in train(), since then in eval())}
        self.late = False  # whether a pass ran nodes for the first time that are much older
        self.asked_at = 0  # the newest pass after which a .grad was read that no optimizer has
        self.root = None  # a weak reference to the tensor at which the last pass began
        self.is_begun = False  # whether none of its nodes has run
        self.turn = 0  # how many leaves it has reached
        self.constants = {}  # {line: [first, last number without a graph that it adds, names with]}
        self.kept_twice = {}  # {name of a list that holds the same .grad several times: its leaf}
        self.is_well = True  # whether that one's numbers were all finite

    # -- operations ------------------------------------------------------------------------------

    def recorded(self, node, operands, result):
        """An operation left a node."""
        made, what = self._note(node, Made(lines(), self.passes)), operation(node)
        tensors = [x for x in operands if isinstance(x, Tensor)]
        makers = [x.grad_fn for x in tensors]
        made.is_short = not any(makers)
        leaves = [x for x, n in zip(tensors, makers) if n is None and x.requires_grad]
        made.feeds = bool(leaves)
        self._read(leaves)
        if self.bad is None and self.spoilt is None and not is_finite(numbers(result)):
            self._look_for_nan(made.line, what, operands, tensors, numbers(result))
        if self.passes <= _TRACED:
            self._trace(node, made, what, operands, tensors, makers, result)

    def _trace(self, node, made, what, operands, tensors, makers, result):
        """Look at one of the first operations more closely."""
        self.recording.update(made.lines)
        known = [self.made[id(n)] for n in makers if id(n) in self.made]
        if any([one.after < self.passes for one in known]):
            self.joins[made.lines] = True
        if what in _SQUASHED and made.line not in self.squashed:
            self._look_for_squashed(made.line, what, node)
        if what == "NllLoss" and made.line not in self.no_logarithms:
            self._look_for_logarithms(made.line, tensors[0])
        if what in _SUMS and result.numel() == 1:
            self._note_constant(made.line, operands)
        if len(tensors) == 2:
            if result.ndim == 2:
                made.crossed = self._crossing(made.line, tensors, result)
            alone = what == "Sub" and sum([x.requires_grad for x in tensors]) == 1
            made.from_data = alone and tensors[0].shape == tensors[1].shape
        if self.crossed and not made.crossed and what not in _ALONG:
            self._stretch(made, tensors, result)

    def _look_for_nan(self, line, what, operands, tensors, result):
        """Note what first made nan or infinity, or the first given numbers that hold it."""
        given = [x for x in tensors if not x.requires_grad and not is_finite(numbers(x))]
        if given and np.isnan(result).any():  # a mask of -inf makes none
            wholes = [(n, x) for n, x in named() if np.isnan(numbers(x)).any()]
            same = [pair for pair in wholes if pair[1] is given[0]]  # else it is a batch of one
            name, first = [*same, *wholes, ("", given[0])][0]
            ill = ~np.isfinite(numbers(first))
            self.spoilt = line, name, int(ill.sum()), ill.size
        elif what in _FRAGILE:
            largest = max((float(abs(numbers(x)).max(initial=0)) for x in tensors), default=0)
            got = _where_it_fails(operands, result)
            self.bad = (line, what, got, largest) if np.isfinite(largest) else None

    def _look_for_squashed(self, line, what, node):
        """Note what a loss was made of, if it is what it would apply itself."""
        for name in _SQUASHED[what]:
            node = next((n for n, _ in node.next_functions if n is not None), None)
            if node is None or operation(node) != name:
                return
        self.squashed[line] = self.of(node).line or line, name, what

    def _look_for_logarithms(self, line, scores):
        """Note a loss of logarithms of probabilities that gets something else."""
        with np.errstate(all="ignore"):
            sums = np.exp(numbers(scores)).sum(-1).ravel()
        wrong = sums[~np.isclose(sums, 1, atol=0.01)]
        by_softmax = operation(scores.grad_fn) == "LogSoftmax"
        is_weighed = any(operation(n) == "LogSoftmax" for n in below([scores.grad_fn], 8)[1:])
        if len(wrong) and not is_weighed:  # as in a focal loss
            made = self.of(scores.grad_fn).line if by_softmax else 0
            self.no_logarithms[line] = float(wrong[0]), made

    def _note_constant(self, line, operands):
        """Note a number without a graph that is added to one with a graph."""
        found = [x for x in operands if not (isinstance(x, Tensor) and x.requires_grad)]
        if len(found) == 1 and len(operands) == 2:
            if line not in self.constants:
                with_graph = {name for name, x in named() if x.requires_grad}
                self.constants[line] = [numbers(found[0]).item(), 0.0, with_graph]
            self.constants[line][1] = numbers(found[0]).item()

    def _read(self, tensors):
        """Some tensors' numbers are used."""
        for x in tensors:
            if leaf := self.leaves.get(id(x)):
                leaf.is_read = True

    def _note(self, node, made):
        """Begin to note what is known of a node; it is forgotten with the node."""
        key, noted = id(node), self.made
        made.own = weakref.ref(node, lambda _: noted.pop(key, None))
        noted[key] = made
        return made

    def of(self, node):
        """What is noted of a node, or of None."""
        return self.made.get(id(node)) or Made()

    def _crossing(self, line, tensors, result):
        """The line, if a column (n, 1) meets a row (n,) in it and was not made on purpose; or 0."""
        n = len(result)
        column, row = sorted(tensors, key=lambda one: one.ndim, reverse=True)
        meet = (column.shape, row.shape, result.shape) == ((n, 1), (n,), (n, n))
        is_pairwise = column.requires_grad and row.requires_grad  # neither is a target
        if n < 2 or not meet or is_pairwise or operation(column.grad_fn) in _VIEWS:
            return 0
        if line not in self.crossed:
            name = "" if row.requires_grad else name_of(row)
            self.crossed[line] = tuple(column.shape), tuple(row.shape), name
        return line

    def _stretch(self, made, tensors, result):
        """Follow what a column against a row made, until all of it and nothing else is a number."""
        is_number = result.numel() == 1
        parts = [x for x in tensors if is_number or x.shape == result.shape]
        whole = [self.of(x.grad_fn).crossed for x in parts]
        if whole and all(whole):
            made.crossed = 0 if is_number else whole[0]
            self.stretched |= {whole[0]} if is_number else set()

    def cut(self, operands):
        """Numbers left the graph."""
        tensors = [x for x in operands if isinstance(x, Tensor) and x.requires_grad and tells(x)]
        self._read(tensors)
        line = here()
        if tensors and line not in self.cuts:
            leaves = [self.leaf(x) for x in tensors if x.is_leaf]
            self.cuts[line] = {*leaves, *self.leaves_below([x.grad_fn for x in tensors])}
            self.off |= set() if is_grad_enabled() else {line}
        elif tensors and self.passes <= _TRACED:
            self.cuts[line].update(self.leaf(x) for x in tensors if x.is_leaf)

    def leaves_below(self, nodes):
        """What is noted of the leaves to which the edges of some nodes lead."""
        found = [node for node in below(nodes) if hasattr(node, "variable")]
        return {self.leaf(node.variable) for node in found}

    # -- passes ----------------------------------------------------------------------------------

    def begins(self, outputs, keeps):
        """A pass begins."""
        line, root = here(), outputs[0]
        with np.errstate(all="ignore"):
            self._give_out()
            leaves = [one for one in dict.fromkeys(self.leaves.values()) if one.idle < _IDLE]
            moved = any([leaf.settle() for leaf in leaves])
        site = self.site = self.sites.setdefault(line, Site(line))
        self.is_traced, self.is_dry = not site.passes or self.is_dry, False
        is_same, self.root = self.root is not None and self.root() is root, weakref.ref(root)
        self.passes, site.passes, site.keeps = self.passes + 1, site.passes + 1, keeps
        self.moved_at = self.passes if moved else self.moved_at
        site.moves, site.stale = site.moves + moved, site.stale + (moved and is_same)
        site.from_leaf = site.from_leaf or root.is_leaf
        self.is_well = all([is_finite(numbers(one)) for one in outputs])
        self.is_begun, self.turn = True, 0
        site.is_single = len(outputs) == root.numel() == 1
        if site.is_single:
            site.add(float(numbers(root).reshape(())))
        if site.passes == 1:
            near = below([one.grad_fn for one in outputs], 6)
            site.root_line = self.of(near[0]).line if near else 0
            site.kinds = [operation(node) for node in near]
            site.is_difference = self._leads_to_difference(root.grad_fn)
            site.sums = self._sums_in(root.grad_fn)
        self._count_held(site)

    def _leads_to_difference(self, node):
        """Whether a node only sums or scales a difference from given numbers, or is one."""
        while node is not None and operation(node) in _LINEAR:
            makers = [n for n, _ in node.next_functions if n is not None]
            node = makers[0] if len(makers) == 1 else None
        return self.of(node).from_data

    def _sums_in(self, node):
        """The lines of the sums and differences of which a number consists, perhaps scaled."""
        found, waiting = set(), [node] if node else []
        while waiting and len(found) < 20:
            node = waiting.pop()
            behind, is_sum = [n for n, _ in node.next_functions if n], operation(node) in _SUMS
            found |= {self.of(node).line} if is_sum else set()
            waiting += behind if is_sum or operation(node) in _LINEAR and len(behind) == 1 else []
        return found

    def _count_held(self, site):
        """Note whether something of all earlier rounds is still there, but of the last one."""
        if site.grows and self.passes % 8 == 0 and not site.is_freed:
            site.is_freed = not self._all_live(site)
        if self.passes > _TRACED:
            return
        site.rounds.append(self.passes)
        if site.passes > 5 and site.moves > 1 and not site.grows and self._all_live(site):
            gc.collect()
            site.grows = site.passes - 2 if self._all_live(site) else 0

    def _all_live(self, site):
        """Whether each round of a site, the first and the last aside, has nodes that live."""
        alive = {one.after for one in list(self.made.values()) if not one.is_short}
        spans = zip(site.rounds[:-2], site.rounds[1:-1])
        return all(not alive.isdisjoint(range(first, end)) for first, end in spans)

    def ran(self, node, g, grads):
        """A node ran. g is a list if it had several results."""
        made, site = self.made.get(id(node)) or self._note(node, Made()), self.site
        if self.is_begun:
            self._note_v(site, g)
        before, number = made.ran
        if before:
            self.sites[before].needed = True
            site.is_old = site.is_old or number < self.moved_at
        elif made.line:
            self.late = self.late or made.after < self.passes - 3
        made.ran = site.line, self.passes
        if self.bad is None and self.is_well and operation(node) in _FRAGILE:
            self._look_for_nan_sent(made.line or site.line, node, numbers(g), grads)
        if self.is_traced and not isinstance(g, list) and numbers(g).any():
            self._note_zeros(made.line, node, g, grads)
        if type(node).__name__.endswith("Backward"):  # the engine's have a number behind it
            self._note_function(made.line, node, g, grads)
        if made.feeds:
            self._note_arrivals(made, node, g, grads)

    def _note_arrivals(self, made, node, g, grads):
        """A node that has leaves below it ran."""
        is_early = self.passes < _TRACED and not isinstance(g, list)
        for (follower, _), one in zip(node.next_functions, grads):
            if one is not None and hasattr(follower, "variable"):
                known = self.leaves.get(id(follower.variable))
                if known is None or not known.passes:  # else its `.grad` tells it
                    self._arrived(follower.variable, np.array(numbers(one)), made.line)
                elif is_early and numbers(one).size < numbers(g).size:
                    known.is_shared = True
                    alone = any(n is None for n, _ in node.next_functions)
                    known.shifts |= alone and operation(node) in ("Add", "Sub")

    def _note_v(self, site, g):
        """The first node of a pass got this upstream gradient."""
        self.is_begun = False
        is_number = site.is_single and not isinstance(g, list)
        if is_number and numbers(g).item() == site.last[-1] != 1:
            site.by_itself += 1

    def _look_for_nan_sent(self, line, node, g, grads):
        """Note a derivative that made nan or infinity of an ordinary gradient."""
        sent = [is_finite(numbers(one)) for one in grads if one is not None]
        if not all(sent) and is_finite(g):
            what, largest = f"the derivative of {operation(node)}", float(abs(g).max(initial=0))
            self.bad = line, what, None, largest

    def _note_function(self, line, node, g, grads):
        """A Function of the program's own ran: note the leaves to which it sends nothing, and the
        first upstream gradient that is not just ones."""
        name, edges = operation(node), zip(node.next_functions, grads)
        if name not in self.weighed and not isinstance(g, list) and (numbers(g) != 1).any():
            sent = [numbers(one) for one in grads if one is not None]
            if any(one.any() for one in sent):
                is_alike = all(one.shape == numbers(g).shape for one in sent)
                method = inspect.unwrap(type(node)._forward_cls.backward)
                if inspect.isfunction(method):  # and not a partial, say
                    self.weighed[name] = line, method.__code__, np.array(numbers(g)), is_alike
        without = [follower for (follower, _), one in edges if one is None]
        leaves = self.functions.setdefault(name, set())
        leaves |= self.leaves_below(without)

    def _note_zeros(self, line, node, g, grads):
        """A node got a gradient that was not 0: note the leaves to which it sends only zeros.

        Not where it may be 0 by chance: a product's for a leaf, a softmax's of several numbers.
        """
        what, edges = operation(node), node.next_functions
        ends = [
            n for (n, _), g in zip(edges, grads) if isinstance(g, _ARRAYS) and not numbers(g).any()
        ]
        if what in ("Sub", "Div") and edges[0] == edges[1]:  # of something from or by itself
            ends = [] if (numbers(grads[0]) + numbers(grads[1])).any() else [edges[0][0]]
        if what in ("Mm", "Addmm", "Mv", "Dot"):
            ends = [n for n in ends if not hasattr(n, "variable") and operation(n) != "T"]
        is_trivial = 1 in numbers(g).shape and numbers(g).ndim < 3  # else attention to one token
        if ends and (is_trivial or what not in ("Softmax", "LogSoftmax")):
            leaves = self.zeroed.setdefault((line, what), set())
            leaves |= self.leaves_below(ends)

    def _arrived(self, leaf, g, line):
        """A gradient arrived at a leaf, in `.grad` or for whoever called grad(), from a line."""
        noted = self.leaf(leaf)  # its name is looked up now, while it stands for it
        noted.is_read = False
        noted.used_at = line if isinstance(leaf, Parameter) and not noted.name else 0
        _, _, before = self.partial.get(id(leaf), (leaf, None, 0.0))
        self.partial[id(leaf)] = leaf, np.array(numbers(leaf)), before + g

    def accumulated(self, tensor, g):
        """A gradient was added to a leaf's `.grad`."""
        leaf = self._reached(tensor)
        if leaf.passes in (1, 2) and not leaf.optimizer:  # of a model's this would take long
            self._look_for_lists(leaf, tensor.grad)
        leaf.add(tensor, numbers(g), self.site.line)
        self.turn += 1
        leaf.turn = self.turn
        self.is_dry = self.is_dry or leaf.zeros == 3
        self.partial.pop(id(tensor), None)

    def _look_for_lists(self, leaf, grad):
        """Note the lists of the program that hold a leaf's `.grad` once more after each pass."""
        held = Counter(path.rpartition("[")[0] for path, one in named() if one is grad)
        more = [name for name, count in held.items() if count > leaf.lists.get(name, 0) > 0]
        self.kept_twice.update((name, leaf) for name in more if name)
        leaf.lists = held

    def _give_out(self):
        """Tell leaves of gradients that went to whoever called grad(), and not to `.grad`."""
        for tensor, value, g in self.partial.values():
            leaf = self._reached(tensor)
            if not leaf.passes and g.shape == value.shape:
                leaf.reached(value, g, self.site.line)
        self.partial.clear()

    def _reached(self, tensor):
        """What is noted of a leaf that a pass has reached. It may go on with another one's course.

        `w = (w - lr * w.grad).detach().requires_grad_()` makes a new leaf, the same parameter.
        """
        leaf = self.leaf(tensor)
        self.site.moves += leaf.idle >= _IDLE and leaf.settle()
        place, is_new = (leaf.name, self.site.line), leaf.value is None
        old = self.named.get(place) if is_new and leaf.name else None
        if old and not leaf.optimizer and old.goes_on_with(numbers(tensor)):
            self.gone = [one for one in self.gone if one is not old]
            old.tensor, self.leaves[id(tensor)] = leaf.tensor, old
            self.site.moves += old.settle()
            leaf = old
        elif old:
            leaf.rates = old.rates  # perhaps another trial
        if leaf.name and len(self.named) < 1000:
            self.named[place] = leaf
        return leaf

    # -- leaves ----------------------------------------------------------------------------------

    def leaf(self, tensor):
        """What is noted of a leaf."""
        key = id(tensor)
        if key not in self.leaves:
            name = name_of(tensor) if len(self.gone) < 100 else ""
            self.references[key] = weakref.ref(tensor, lambda _: self._lose(key))
            self.leaves[key] = Leaf(name, self.references[key])
        return self.leaves[key]

    def _lose(self, key):
        leaf, reference = self.leaves.pop(key), self.references.pop(key)
        if leaf.used_at and leaf.passes == 1 and not leaf.optimizer:
            rounds, last = self.fleeting.get(leaf.used_at, (0, None))
            self.fleeting[leaf.used_at] = rounds + (last != self.passes), self.passes
        lasts = leaf.passes > 1 or leaf.missed or leaf.optimizer or leaf.updates
        if len(self.gone) < 1000 and lasts and leaf.tensor is reference:
            leaf.updates = leaf.updates or leaf.passes and leaf.full_steps  # the last was not seen
            self.gone.append(leaf)

    def finish(self):
        """The program has ended: all leaves that require grad."""
        with np.errstate(all="ignore"):
            self._give_out()
            found = dict.fromkeys([*self.leaves.values(), *self.gone])
            for leaf in found:
                leaf.settle()
        return [leaf for leaf in found if leaf.requires_grad]

    def changed(self, tensor):
        """Numbers were changed in place."""
        line, array = here(), numbers(tensor)
        self.changes.append((weakref.ref(tensor), tensor._version, line))
        for leaf in dict.fromkeys(self.leaves.values()):  # one may go on under several ids
            leaf.hear_of(array, line)

    def cleared(self, tensor):
        """A `.grad` is taken away."""
        if leaf := self.leaves.get(id(tensor)):
            # Where an input is moved by its .grad, what the same pass gave a model is in the way.
            leaf.used = leaf.used or leaf.optimizer and self.asked_at == self.passes > 0
            leaf.clear(here())

    def asked(self, tensor, grad):
        """A `.grad` was read; grad: None if it is not there."""
        if grad is not None and (leaf := self.leaves.get(id(tensor))):
            leaf.is_asked, leaf.is_late = True, False
            self.asked_at = self.asked_at if leaf.optimizer else self.passes
        if grad is not None or not self.passes:
            return
        seen = []
        if tensor.is_leaf:
            self.leaf(tensor).required_grad = tensor.requires_grad
            seen = self.leaf(tensor).missed
        elif {name_of(tensor), ""} & {f.name for f in self.leaves.values()}:
            seen = self.missed_results.setdefault(self.of(tensor.grad_fn).lines, [])
        else:
            self.unkept[here()] = name_of(tensor)
        seen += [here()] if len(seen) < 10 else []

    # -- optimizers ------------------------------------------------------------------------------

    def optimizes(self, optimizer):
        """An optimizer was made."""
        line, params = here(), [p for group in optimizer.param_groups for p in group["params"]]
        old = self.optimizers.get(line)
        if old is not None and old.state and self.steps_of == (id(old), 1):
            self.remade[line] += {id(p): p._version for p in params} == self.stepped
        self.optimizers[line], self.steps_of = optimizer, (id(optimizer), 0)
        self._note_dropouts(optimizer)
        for param in params:
            self.leaf(param).optimizer = line

    def _note_dropouts(self, optimizer):
        """Note the layers that eval() switches off, of the models that an optimizer trains."""
        mine = {id(p) for group in optimizer.param_groups for p in group["params"]}
        models = [one for _, one in named(Module) if mine & set(map(id, one.parameters()))]
        layers = {layer: True for model in models for layer in model.modules()}
        self.layers[optimizer] = list(layers)
        self.dropouts[optimizer] = [one for one in layers if isinstance(one, Dropout)]

    def steps(self, optimizer):
        """An optimizer is about to move its parameters."""
        line, (newest, count) = here(), self.steps_of
        self.steps_of = newest, count + (newest == id(optimizer))
        found = [(p, p.grad, group) for group in optimizer.param_groups for p in group["params"]]
        self.idle_steps += all([grad is None for _, grad, _ in found])
        self.stepped = {id(p): p._version + (grad is not None) for p, grad, _ in found}
        if layers := self.dropouts.get(optimizer):
            in_train, in_eval = self.modes.get(optimizer, (0, 0))
            is_on = any([layer.training for layer in layers])
            self.modes[optimizer] = (in_train + 1, 0) if is_on else (in_train, in_eval + 1)
        for param, grad, group in found:
            leaf = self.leaf(param)
            if not leaf.optimizer:  # of one that an earlier cell has made: no step so far was one
                leaf.optimizer, leaf.dirty, leaf.dirty_line = line, False, 0
            self.stepping |= {leaf.optimizer} if self.passes else set()
            self.changes.append((weakref.ref(param), param._version + 1, line))
            has_gradient = grad is not None and bool(numbers(grad).any())
            leaf.optimizer_step(has_gradient, abs(group.get("lr", 0)), line)
        if len(self.optimizers) > 1:
            self._note_left([self.leaf(param) for param, _, _ in found])

    def _note_left(self, moving):
        """Note the leaves of other optimizers that the pass for these has filled before them."""
        for leaf in self.leaves.values():
            is_filled = not leaf.cleared and leaf.optimizer != moving[0].optimizer
            if is_filled and leaf.turn < min(one.turn for one in moving):  # reached before these
                leaf.waits = leaf.line if leaf.is_single else 0
