"""Random programs of several statements, executed by both engines and compared after each.

A program is text. It is written statement by statement: a row of `STATEMENTS` is chosen, and the
places in braces are filled in with what suits the tensors made so far. To test one more operation,
add a row.

After each statement minigrad's numbers, which must agree with torch's up to rounding, are
overwritten by torch's. So both engines start the next statement from the same bits: no rounding
error grows, and a comparison or a maximum of two nearly equal numbers turns out the same.
"""

import contextlib
import math
import re
import warnings

import numpy as np
import torch
from hypothesis import strategies as st

import minigrad
from tests.engine.both import QUOTED, ROUNDING, attempt, compare, largest, rows, run

# What may stand in braces:
#   x a tensor                      y, z tensors that mostly broadcast with x
#   f a float tensor                m, n matrices (or more) for m @ n
#   g a float matrix                q a vector
#   i an index                      k a bool tensor
#   r, s computed tensors that require grad                 v, w upstream gradients for them
#   a, b tensors that require grad
#   o a computed tensor whose gradient may be asked for
#   h a computed one that is no view, H it or a leaf: changed in place, a view leaves its hooks
#     behind in torch
#   A, B tensors that require grad, without a view that was changed in place: there torch runs more
#     nodes than minigrad
#   l a tensor that is no view, and of which none is: these follow its `requires_grad` in torch, at
#     any time
#   t a tensor that may be changed in place, u a float one, j one to assign to it
#   c a number, e one for powers, p a positive whole one    d a dimension of the first tensor
#   dims several of them            index something to put in x[ ]
#   flag True or False              order all its dimensions, in any order
#   shape a shape for as many elements                      size a shape to expand to
STATEMENTS = {
    "arithmetic": """
        {x} + {y}; {x} - {y}; {x} * {y}; {x} / {y}; {x} + {c}; {c} - {x}; {x} * {c}; {c} * {x}
        {x} / {c}; {c} / {x}; {x} ** {e}; {e} ** {f}; {f} ** {y}; -{x}; abs({x})
        torch.add({x}, {y}); {x}.sub({y}); {x}.mul({c}); torch.div({x}, {y})
        torch.pow({x}, {e})""",
    "functions": """
        {f}.exp(); torch.log({f}); {f}.sqrt(); {f}.tanh(); {f}.sigmoid(); {f}.relu()
        torch.sin({f}); {f}.cos(); {f}.reciprocal(); {f}.square(); {f}.log1p()
        {f}.abs(); {f}.sign(); {f}.floor(); {f}.round(); {x}.exp()
        {x}.neg(); {x}.clone()""",
    "reductions": """
        {x}.sum(); {x}.sum({d}); {x}.sum({d}, keepdim=True); {x}.sum({dims}); {f}.mean()
        {f}.mean({d}); {f}.mean({dims}, keepdim={flag}); {f}.norm(); {f}.norm(dim={d})
        {f}.norm(2, {d}, {flag}); {f}.var({d}); {x}.argmax(); {x}.argmax({d})
        {x}.argmin({d}, {flag}); {k}.all(); {k}.any({d})""",
    "shapes": """
        {x}.view({shape}); {x}.reshape({shape}); {x}.reshape(-1); {x}.flatten()
        {x}.expand({size}); {x}.t(); {x}.T; {x}.transpose({d}, {d2}); {x}.squeeze()
        {x}.squeeze({d}); {x}.unsqueeze({d}); {x}.expand_as({y}); {x}.contiguous()
        {x}.permute({order})""",
    "selections": """
        {x}[{index}]; {x}[{index}]; {x}[{index}]; torch.where({k}, {y}, {z})
        torch.where({x} > {c}, {y}, {c}); {x}[{x} > {c}]; {x}[{i}]""",
    "joining": """
        torch.cat([{x}, {y}]); torch.cat([{x}, {x}], {d}); torch.stack([{x}, {y}])
        torch.stack([{x}, {x}, {y}], {d}); torch.cat([{x}, {y}, {z}], dim={d})""",
    "products": """
        {m} @ {n}; torch.mm({m}, {n}); torch.matmul({m}, {n}); {m}.dot({n}); {m}.matmul({n})
        {m}.t() @ {m}; torch.outer({q}, {q2})""",
    "comparisons": """
        {x} > {y}; {x} < {c}; {x} == {y}; {x} != {c}; {x} >= {y}; {x}.le({c}); {k} & {k2}
        {k} | {k2}; ~{k}""",
    "dtypes": """
        {x}.double(); {x}.float(); {x}.long(); {x}.bool(); {x}.to({y}.dtype)
        {x}.int(); {x}.detach(); {x}.data; {x}.clone().detach()""",
    "in place": """
        {t}.add_({y}); {t}.sub_({y}); {t}.mul_({y}); {t}.div_({y}); {t}.mul_({c}); {t}.add_({c})
        {u}.exp_(); {t}.neg_(); {u}.sqrt_(); {u}.tanh_(); {t}.zero_(); {t}.fill_({c})
        {t}.copy_({y}); {t}.pow_({e}); {t} += {y}; {t} *= {c}; {t}[{index}] = {c}
        {t}[{index}] = {j}; {t}[{index}] += {c}; {t}[{index}] *= {c}; {t}.data.mul_({c})
        {t}.detach().add_({c}); {t}.view({shape}).mul_({c}); {t}[{index}].add_({y}); {u}.relu_()
        {u}.sigmoid_(); {u}.log_(); {t}.T.mul_({c})""",
    "leaves": """
        {l}.requires_grad_(); {l}.requires_grad_(False); {x}.requires_grad; {x}.retain_grad()
        {l}.detach_(); {a}.grad; {a}.grad.zero_(); {x}.grad = None; {a}.grad = {y}; {x}.is_leaf
        {x}.grad; {a}.grad.mul_({c})""",
    "hooks": """
        {H}.register_hook(lambda g: g * 2); {H}.register_hook(lambda g: None); {h}.retain_grad()
        {H}.register_hook(lambda g: g.sum()); {h}.register_hook(lambda g: g.mul_(2))""",
    "backward": """
        {r}.backward({v}); {r}.backward({v}, retain_graph=True); {r}.sum().backward()
        {r}.backward(); {r}.backward({v}, create_graph=True); {o}.backward({v}, inputs=[{A}])
        {r}.sum().backward(retain_graph=True); torch.autograd.backward([{r}, {s}], [{v}, {w}])
        {o}.backward({v}, inputs=[{A}, {B}], retain_graph=True)
        torch.autograd.grad({o}, {a}, {v})
        torch.autograd.grad({o}, [{a}, {b}], {v}, allow_unused=True)
        torch.autograd.grad({o}, {a}, {v}, retain_graph=True)
        torch.autograd.grad({o}.sum(), {a}, create_graph=True)
        torch.autograd.grad({o}, {a}, {v}, create_graph=True)
        torch.autograd.grad({o}, [{a}, {b}], {v}, materialize_grads=True, create_graph=True)
        torch.autograd.grad([{o}, {o2}], [{a}, {b}], [{v}, {w}], True, allow_unused={flag})""",
}
# What torch refuses of these is not compared. Not among them is topk: which of several equal
# elements it picks is torch's own affair.
# (What minigrad puts together from several operations saves other tensors than torch's one node: it
# is given, and gives, tensors that nobody changes in place. gelu, where it meets infinity, is among
# the differences that are written down.)
LESS_COMMON = {
    "more functions": """
        {f}.clamp(-1, 1); {f}.clamp(min={c}); {f}.softmax({d}); {f}.log_softmax({d})
        torch.maximum({x}, {y}); torch.minimum({x}, {y}); {x} // {c}; {x} % {c}; {c} % {x}
        torch.nn.functional.mse_loss({f}, {y}); torch.nn.functional.l1_loss({f}, {y})
        torch.nn.functional.smooth_l1_loss({f} * 1, {y} * 1) * 1
        {f}.log10(); torch.nn.functional.softplus({f} * 1) * 1""",
    "more reductions": """
        {x}.max(); {x}.min(); {x}.max({d}); {x}.min({d}, {flag}); {x}.cumsum({d})
        ({f} * 1).var() * 1; ({f} * 1).std() * 1; ({f} * 1).std({d}, keepdim={flag}) * 1""",
    "more shapes": """
        {x}.unbind({d}); {x}.sum_to_size({y}.shape); {g}.gather({d}, {g}.argmax({d}, True))
        {f}.masked_fill({k}, {c}) * 1""",
    "matrices": """
        torch.nn.functional.linear({g}, {g2})""",
    "more in place": """
        {u}.clamp_(-1, 1); {t}.unbind({d})[0].mul_({c}); {t}[{k}] = {c}""",
}


def statements(table):
    """The statements of a table, of all its kinds."""
    return [statement for kind in table.values() for statement in rows(kind)]


SHAPES = [
    (),
    (3,),
    (2, 3),
    (1,),
    (2, 1),
    (1, 3),
    (3, 2),
    (2, 2),
    (2, 1, 3),
    (2, 3, 2),
    (1, 1),
    (2, 0),
]
FLOATS = [1.0, 2.0, -1.0, 0.5, 0.0, -2.0, 1.5, 0.25, -0.5, 3.0, 0.1, -0.3, 10.0]
NUMBERS = [2, 3, -1, 0.5, 1, 0, 2.0, 1.5]
CHOICES = {  # of -0.0, which may come up, torch takes another power -0.5 than NumPy
    "c": [*NUMBERS, -0.5],
    "e": NUMBERS,
    "p": [2, 1, 3],
    "flag": [True, False],
    "i": ["torch.tensor([0, -1, 0])", "torch.tensor([0])"],
}
# What torch mostly speaks of first, and of a second fault in the line not at all; and an index that
# was changed after it was used: minigrad keeps a copy.
TWO_FAULTS = re.compile(
    "(is a view|A view was created in no_grad mode).* modified inplace|mat1 and mat2|size mismatch"
    r"|indices for tensor of dimension 0|view size is not|index -?\d+ is out of"
    r"|operation: \[torch\.(Long|Bool)Tensor"
)
# What was seen of a tensor under no_grad is not to be used outside: torch would not follow the
# gradient there.
VIEWS = re.compile(
    r"\.(t|T|data|detach|view|view_as|reshape|flatten|ravel|expand|expand_as|transpose|permute|squeeze|unsqueeze"
    r"|contiguous|unbind|split|narrow|select|broadcast_to|reshape_as|sum_to_size)\b|= t[\d_]+\["
    r"|squeeze_"  # torch would compare gradients with the shape that the node's result had
)
# Of several saved values that cannot be used each engine names the one that it looks at first.
UNUSABLE = re.compile(
    "needed for gradient computation has been modified|backward through the graph a second time"
    "|saved tensor that has been detached"
)
# Faults of torch's own: its bookkeeping; and clamp's gradient, where a bound that requires grad is
# larger than what is clamped.
OWN_FAULTS = re.compile(
    r"INTERNAL ASSERT|(backward|grad)\(.*\noutput with shape .* doesn't match the broadcast shape"
)
# How a result lies in memory differs, and so do what can be a view and what has to be a copy.
LAYOUT = "view size is not compatible"
COPIES = re.compile("reshape|flatten|ravel|contiguous")
MAX_REFUSED = 4  # statements that torch refuses; a program ends with the last

# Which tensors suit a place in braces, given the first tensor of the statement.
SUITS = {
    "x": lambda t, first: True,
    "y": lambda t, first: broadcast(t, first),
    "m": lambda t, first: 0 < t.ndim < 4 and t.is_floating_point(),
    "n": lambda t, first: (
        t.ndim and t.dtype == first.dtype and t.shape[-2:][:1] == first.shape[-1:]
    ),
    "f": lambda t, first: t.is_floating_point(),
    "g": lambda t, first: t.ndim == 2 and t.is_floating_point(),
    "q": lambda t, first: t.ndim == 1 and (first is None or t.dtype == first.dtype),
    "t": lambda t, first: (computed(t) or not t.requires_grad) and 0 not in t.stride(),
    "r": lambda t, first: computed(t),
    "a": lambda t, first: t.requires_grad,
    "k": lambda t, first: t.dtype == torch.bool,
    # By `integers[...] = x`, with an x that requires grad, torch makes integers that require grad.
    "j": lambda t, first: (
        broadcast(t, first) and (first.is_floating_point() or not t.requires_grad)
    ),
    "u": lambda t, first: SUITS["t"](t, first) and t.is_floating_point(),
    "A": lambda t, first: (
        t.requires_grad and not (computed(t) and re.match("torch::|AsStrided", t.grad_fn.name()))
    ),
    "H": lambda t, first: t.requires_grad and t._base is None,
    "h": lambda t, first: computed(t) and t._base is None,
    "o": lambda t, first: computed(t),
}
STRICT = "kfqtujoABHh"  # only what suits; of the others now and then one that does not
SUITS |= {"z": SUITS["y"], "s": SUITS["r"], "b": SUITS["a"], "B": SUITS["A"]}


def computed(t):
    """Whether a tensor has a `grad_fn`; for some views it cannot be asked (see `place`)."""
    return attempt(lambda: t.grad_fn is not None) is True


def overlapping(t, other):
    """Whether two tensors that are not one lie in one place, at least in part."""
    return other is not None and other is not t and np.shares_memory(t.data, other.data)


def broadcast(t, first):
    """Whether two tensors broadcast together."""
    try:
        np.broadcast_shapes(t.shape, first.shape if first is not None else ())
    except ValueError:
        return False
    return True


def incomparable(line, theirs, ours):
    """Whether a line's results may differ: by one of several faults, by a fault of torch's, or
    because torch ends a recorded backward pass early where there is nothing to compute, or does not
    look at the dtypes of a product without elements."""
    if "to have the same dtype" in str(ours) and isinstance(theirs, torch.Tensor):
        return not theirs.numel()
    recorded = theirs if "create_graph" in line and isinstance(theirs, tuple) else ()
    if not all(part is None or part.numel() for part in recorded):
        return True
    unusable = UNUSABLE.search(str(theirs)) and (
        UNUSABLE.search(str(ours)) or "not have been used" in str(ours)
    )
    return unusable or OWN_FAULTS.search(f"{line}\n{theirs}") or LAYOUT in str(ours)


class NothingSuits(Exception):
    """No tensor so far fits into a statement."""


class Program:
    """A program under way: its text, and what each engine has made of it.

    `draw` is hypothesis's; `pairs` maps names, such as "t3" or "t4_0", to (torch's tensor, ours).
    """

    def __init__(self, draw):
        self.draw = draw
        self.lines = []
        self.theirs, self.ours = {"torch": torch}, {"torch": minigrad}
        self.pairs = {}
        self.refused = 0
        self.greatest = 1.0  # the largest number so far, though it was changed in place since

    def __repr__(self):
        return "\n".join(["import torch", *self.lines])

    # -- writing ---------------------------------------------------------------------------------

    def chance(self, one_in):
        """True once in so many times."""
        return self.draw(st.integers(1, one_in)) == one_in

    def one_of(self, choices):
        return self.draw(st.sampled_from(choices))

    def leaf(self, dtype):
        """The text of a new leaf."""
        if self.chance(5):
            dtype = self.one_of(["float32", "float64", "int64"])
        grad = "" if dtype == "int64" or self.chance(4) else ", requires_grad=True"
        return self.literal(self.one_of(SHAPES), dtype)[:-1] + f"{grad})"

    def literal(self, shape, dtype):
        """The text of a tensor."""
        size = math.prod(shape)
        if not size:
            return f"torch.zeros({shape}, dtype=torch.{dtype})"
        numbers = st.integers(-3, 3) if dtype == "int64" else st.sampled_from(FLOATS)
        numbers = self.draw(st.lists(numbers, min_size=size, max_size=size))
        return f"torch.tensor({np.reshape(numbers, shape).tolist()}, dtype=torch.{dtype})"

    def fill(self, row, common):
        """A row of `STATEMENTS` with all braces filled in.

        With what does not fit only if it is a common one.
        """
        chosen, self.common = {}, common

        def filled(match):
            part = match[1]
            if part not in chosen:
                chosen[part] = self.part(part, chosen)
            return chosen[part]

        return re.sub(r"{(\w+)}", filled, row)

    def part(self, part, chosen):
        """What to put in the place of `part`."""
        kind = part.rstrip("2")
        first, _ = self.pairs.get(next(iter(chosen.values()), None), (None, None))
        if kind in CHOICES:
            return str(self.one_of(CHOICES[kind]))
        if kind == "l":  # no batch of matrices: torch saves views for its product
            bases = [t._base for t, _ in self.pairs.values()]
            names = [
                name
                for name, (t, _) in self.pairs.items()
                if t._base is None and t.ndim < 3 and not any(t is base for base in bases)
            ]
            return self.one_of(names or ["torch.ones(2)"])
        if kind in SUITS:
            names = [name for name, (t, _) in self.pairs.items() if SUITS[kind](t, first)]
            if kind == "b":  # of one input given twice torch hands out one gradient, as one object
                names = [name for name in names if name != chosen["a"]] or names
            if (
                kind in "yj" and {"t", "u"} & chosen.keys()
            ):  # torch may read what it has just written
                names = [
                    name
                    for name in names
                    if self.pairs[name][0] is first or not self.overlap(name, first)
                ]
            if kind == "k" and not names and chosen:
                return f"({self.one_of(list(self.pairs))} > 0)"
            if not names and (not self.common or kind in STRICT):
                raise NothingSuits
            if not names or self.common and kind not in STRICT and self.chance(20):
                names = list(self.pairs)
            return self.one_of(names[-4:] if self.chance(2) else names)
        if kind in "vw":
            root = next(
                chosen[part] for part in ("ro" if kind == "v" else ("s", "o2")) if part in chosen
            )
            return self.upstream(self.pairs[root][0], kind)
        return str(getattr(self, kind)(first))

    def copied_once(self, line, theirs, ours):
        """Whether one engine made a copy where the other had no need to."""
        if not COPIES.search(line) or not isinstance(ours, minigrad.Tensor):
            return False
        shared = [
            (np.shares_memory(theirs.data, t.data), np.shares_memory(ours._array, mine._array))
            for t, mine in self.pairs.values()
        ]
        return any(one != other for one, other in shared)

    def overlap(self, name, first):
        """Whether a tensor lies where `first` does, at least in part."""
        return np.shares_memory(self.pairs[name][0].data, first.data)

    def d(self, first):
        n = max(first.ndim, 1) + self.chance(20)
        return self.draw(st.integers(-n, n - 1))

    def dims(self, first):
        dims = st.integers(0, max(first.ndim - 1, 0))
        return self.draw(st.lists(dims, max_size=2, unique=True))

    def order(self, first):
        return self.draw(st.permutations(range(first.ndim)))

    def shape(self, first):
        n = first.numel() + self.chance(20)
        shapes = [(n,), (-1,), (1, n), (n, 1), (-1, 1), (2, -1)]
        return self.one_of(shapes + [(k, n // k) for k in (2, 3) if n % k == 0])

    def size(self, first):
        lengths = [self.one_of([2, 3, -1]) if length == 1 else length for length in first.shape]
        return (*self.one_of([(), (2,), (1,)]), *lengths)

    def index(self, first):
        n, parts = self.draw(st.integers(0, first.ndim)), []
        dots = (
            self.draw(st.integers(0, n)) if self.chance(8) else n
        )  # where `...` stands, for all that is left out
        for length in first.shape[:dots] + first.shape[first.ndim - n + dots :]:
            top = max(length - (not self.chance(20)), 0)
            j, k = self.draw(st.tuples(*2 * [st.integers(-length, top)]))
            lists = [f"[{k}, {j}, {k}]", f"torch.tensor([{k}, {j}])"] * (max(j, k) < length)
            parts.append(self.one_of([f"{k}", f"{k}:", f":{k}", "::2", ":", f"{k}:{j}", *lists]))
        parts[dots:dots] = ["..."] * (dots < n or self.chance(8))
        if self.chance(8):
            parts.insert(self.draw(st.integers(0, len(parts))), "None")
        return ", ".join(parts) or "..."

    def upstream(self, root, kind):
        """An upstream gradient for `root`: mostly of its shape and dtype."""
        way = self.draw(st.integers(0, 30))
        if way == 30 and kind == "v":  # torch stumbles over a wrong one that is not the first
            return self.one_of(["None", "1.0", "[1.0]", "torch.tensor(1.0)", "torch.ones(2, 3)"])
        dtype = self.one_of(["float32", "float64"]) if way > 18 else str(root.dtype).split(".")[1]
        return self.literal(tuple(root.shape), dtype)

    # -- executing -------------------------------------------------------------------------------

    def line(self, statement):
        """A statement as the next line of the program."""
        if not re.search(r" \W?= ", statement):  # an expression
            statement = f"t{len(self.lines)} = {statement}"
        if self.chance(12) and not VIEWS.search(statement):
            return f"with torch.no_grad(): {statement}"
        return statement

    def execute(self, line, compare_refusal=True):
        """Run a line on both engines and compare everything that can be seen afterwards."""
        found = re.search(r"(t\d+) = ", line)
        name = found and found[1]
        code = compile(line, "program", "exec")

        def step(space):
            exec(code, space)
            return space.get(name)

        rounding = self.rounding()
        theirs = run(lambda engine: step(self.theirs), torch)
        if isinstance(theirs[0], Exception):
            quoted = QUOTED.search(
                str(theirs[0])
            )  # of other wrong arguments each engine speaks as it likes
            self.refused += 1
            if (
                not compare_refusal
                or not quoted
                or TWO_FAULTS.search(str(theirs[0]))
                or "matmul" in line
                or " @ " in line
            ):
                self.refused = MAX_REFUSED
                return
            line = f"{line.partition('  #')[0]}  # {type(theirs[0]).__name__}"
        self.lines.append(line)
        # A backward pass that is recorded may come to the same gradient by other operations.
        known = any(theirs[0] is tensor for tensor, _ in self.pairs.values())
        ours = run(lambda engine: step(self.ours), minigrad)
        if incomparable(line, theirs[0], ours[0]) or self.copied_once(line, theirs[0], ours[0]):
            self.refused = MAX_REFUSED
            return
        if "leaf Variable" in str(theirs[0]) and isinstance(
            ours[0], Exception
        ):  # before or after other faults
            return
        compare(
            theirs,
            ours,
            *rounding,
            named=not known
            and "create_graph" not in line
            and not re.search(" @ |matmul|linalg|reshape|flatten|sum_to_size|grad$", line),
        )
        self.bind(name, theirs[0], ours[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.settle(rounding)

    def rounding(self):
        """How large the numbers are that a statement multiplies and adds; the coarsest dtype."""
        arrays = [array for array, _ in self.arrays()]
        self.greatest = max([self.greatest, *map(largest, arrays)])
        coarse = [name for name in ROUNDING if any(array.dtype.name == name for array in arrays)]
        return min(self.greatest, 1e150) ** 2, coarse[0] if coarse else None

    def bind(self, name, theirs, ours):
        """Keep the tensors that a statement made; what it handed back again keeps its name."""
        if isinstance(theirs, tuple) and any(isinstance(part, torch.Tensor) for part in theirs):
            names = [f"{name}_{i}" for i in range(len(theirs))]
            if not self.lines[-1].endswith(f"= {name}"):
                self.lines[-1] += f"; {', '.join(names)}, = {name}"
            # one tensor that torch hands out twice is one of ours, too
            same = {
                id(mine): other
                for mine, other in [*zip(theirs[::-1], ours[::-1]), *self.pairs.values()]
                if mine is not None
            }
            ours = [same.get(id(part)) for part in theirs]
            self.theirs |= zip(names, theirs)
            self.ours |= zip(names, ours)
            # Which gradients are views, and which share memory, differs.
            aside = "autograd.grad(" in self.lines[-1] and [
                part is not None
                and (part._base is not None or any(overlapping(part, other) for other in parts))
                for parts in (theirs, ours)
                for part in parts
            ]
            for i, pair in enumerate(zip(theirs, ours)):
                if pair[0] is not None and not (aside and any(aside[i :: len(theirs)])):
                    self.pairs.setdefault(names[i], pair)
        elif isinstance(theirs, torch.Tensor):
            known = [pair for pair in self.pairs.values() if pair[0] is theirs]
            if not known:
                self.pairs[name] = theirs, ours
            else:
                assert any(ours is pair[1] for pair in known), "minigrad makes a new object"

    def tensors(self):
        """All tensors in sight, as pairs: those with names, and their `.grad`."""
        for theirs, ours in self.pairs.values():
            yield theirs, ours
            yield attempt(lambda t: t.grad, theirs), attempt(lambda t: t.grad, ours)

    def arrays(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                (theirs.data.numpy(force=True), ours.data.numpy())
                for theirs, ours in self.tensors()
                if isinstance(theirs, torch.Tensor) and isinstance(ours, minigrad.Tensor)
            ]

    def settle(self, rounding):
        """Compare all tensors, then give ours the very bits of torch's."""
        for theirs, ours in self.tensors():
            # Where there is nothing to compute, torch may end a recorded backward pass early.
            if not isinstance(theirs, torch.Tensor) or theirs.numel():
                compare(theirs, ours, *rounding, named=False)
            else:  # both are looked at: a view that somebody looked at may be changed in place
                for tensor in (theirs, ours):
                    attempt(lambda tensor=tensor: tensor.grad_fn)
        arrays = self.arrays()
        for theirs, ours in arrays:
            if ours.flags.writeable:
                ours[...] = theirs
        for theirs, ours in arrays:
            same = np.array_equal(theirs, ours, equal_nan=theirs.dtype.kind == "f")
            assert same, "memory is shared otherwise than in torch"


def write_and_run(draw, common=STATEMENTS, less_common=LESS_COMMON, length=12):
    """Write a random program, executing it on both engines as it grows."""
    program = Program(draw)
    common, less_common = statements(common), statements(less_common)
    try:
        dtype = program.one_of(["float32", "float64"])
        for _ in range(program.draw(st.integers(1, 3))):
            program.execute(program.line(program.leaf(dtype)))
        for _ in range(program.draw(st.integers(1, length))):
            if program.refused < MAX_REFUSED:
                row = program.one_of(common + less_common)
                with contextlib.suppress(NothingSuits):
                    program.execute(program.line(program.fill(row, row in common)), row in common)
    except AssertionError as error:
        raise AssertionError(f"\n{program!r}\n{error}") from None
    return program


def replay(program):
    """Execute a program, as the message of a failure shows it, and compare again."""
    again = Program(None)
    for line in program.strip().splitlines():
        if line != "import torch":
            again.execute(line)
