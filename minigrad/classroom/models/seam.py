"""The seam cutter: a chain x -> F1 -> y -> F2 -> z, cut in two, and what crosses the cut.

The right half starts from a fresh leaf, runs forward, and its backward(v) leaves g in that leaf's
`.grad`. The left half is given g, and nothing else, by `y.backward(gradient=g)`. x.grad is then
that of the uncut chain. Two mistakes can be made on purpose: forget g (ones in its place), and
count it twice (the seam's `.grad` was not cleared after an earlier backward).

Everything is what the engine really did; `views/seam.py` only draws it.
"""

from dataclasses import dataclass

import numpy as np

from .. import agreement, engines, recorded
from ..formatting import indices, nested, number, shape, sum_of_products, wrapped
from ..typed_numbers import Refused, read_array, read_number
from .base import action, in_a_sentence, index_in, one_of
from .chains import CHAINS, Chain, entry_name, own_chain
from .example_model import ExampleModel
from .point import check_steady, check_untouched, one_tensor, single, values_of, with_entry
from .predict import PredictCard
from .torch_answer import ask, could_not_run, live, missing, stored
from .unrolled import START, WEIGHT, Unrolled, unroll, windows

MAX_BOXES = 12  # more outputs than this are typed as a list
MAX_ENTRIES = 24  # of one value: more are not drawn
MISTAKES = ("none", "forget", "twice")


@dataclass(frozen=True)
class Halves:
    """What one engine did with a chain cut in two. grads: x.grad for each way to hand g over."""

    handed: dict  # {mistake: what crossed the cut}
    grads: dict  # {mistake: x.grad}; "none" is the right way
    uncut: np.ndarray


@dataclass(frozen=True)
class _Shown:
    """One consistent state: everything on the screen belongs to this x, this v and this cut."""

    chain: object
    x: np.ndarray
    v: np.ndarray
    cut: int
    values: tuple  # of the whole chain, forward
    halves: Halves
    jacobian: np.ndarray  # of the right half, [output, entry of the seam]
    unrolled: Unrolled


def forward(torch, links, start):
    """Every value of a chain from `start` on: [start, F1(start), ...]."""
    values = [start]
    for link in links:
        values.append(one_tensor(link.function(torch, values[-1]), link.name))
    check_untouched(start)
    return values


def leaf(torch, values):
    """An array as a float32 leaf that wants a gradient."""
    return torch.tensor(np.asarray(values).tolist(), dtype=torch.float32, requires_grad=True)


def halves(torch, links, x, v, cut):
    """Cut the chain after `cut` functions, in one engine: right half, then left half with g."""

    def weights():  # new ones for each call: PyTorch may keep the tensor it is given as a .grad
        return torch.tensor(v.tolist(), dtype=torch.float32)

    start = leaf(torch, x)
    y = forward(torch, links[:cut], start)[-1]
    seam = y.detach().clone().requires_grad_()
    z = forward(torch, links[cut:], seam)[-1]

    def handed_over(g):
        """What the left half makes of g."""
        start.grad = None
        y.backward(gradient=g, retain_graph=True, inputs=[start])
        return _grad(start)

    z.backward(weights(), retain_graph=True, inputs=[seam])
    if seam.grad is None:
        raise Refused("Nothing crosses this cut: the right half does not use its input.")
    g = seam.grad.clone()
    z.backward(weights(), inputs=[seam])  # and once more: .grad adds up
    handed = {"none": g, "forget": torch.ones_like(g), "twice": seam.grad}
    whole = leaf(torch, x)
    forward(torch, links, whole)[-1].backward(weights(), inputs=[whole])
    return Halves(
        {name: values_of(given) for name, given in handed.items()},
        {name: handed_over(given.clone()) for name, given in handed.items()},
        _grad(whole),
    )


def _grad(start):
    if start.grad is None:
        raise Refused("x.grad stays None: the output does not depend on x.")
    return values_of(start.grad)


def rows_of_halves(torch, chain, cut):
    """For each one-hot v: what crosses the cut and x.grad, as lists. PyTorch's are recorded."""
    sizes = tuple(forward(torch, chain.links, leaf(torch, chain.x))[-1].shape)
    rows = []
    for index in indices(sizes):
        one_hot = with_entry(np.zeros(sizes), index, 1.0)
        found = halves(torch, chain.links, np.array(chain.x), one_hot, cut)
        rows.append({
            "handed": {name: values.tolist() for name, values in found.handed.items()},
            "grads": {name: values.tolist() for name, values in found.grads.items()},
            "uncut": found.uncut.tolist(),
        })
    return rows


def unrolled_answer(torch, weight=WEIGHT, start=START):
    """w.grad after the last window, right and counted twice, in one engine."""
    return {
        name: windows(torch, weight, start, clear=name == "right")[-1].weight_grad
        for name in ("right", "twice")
    }


class SeamCutter(ExampleModel):
    """The model of the seam cutter.

    what: the name of a chain ("S2-4", see `SeamCutter.chains()`), or a list of functions, each of
        one tensor: `[lambda x: x * x, lambda y: 3 * y.sum()]`. One that needs torch's names takes
        them first: `lambda torch, x: torch.log(x)`.
    x: the input of the first function; a named chain brings its own.
    v: the first upstream gradient at the output; ones when left out.
    cut: after how many functions to cut, from 1; with the cut at the end g is v itself.
    predict: True covers the result until a guess is committed or "show me" is asked.

    What cannot be used is refused: `message` says why, and everything else stays as it was.
    """

    known = CHAINS
    kind = "chain"

    def __init__(self, what="S2-4", x=None, v=None, cut=1, *, predict=False):
        super().__init__(predict)
        self.mistake = "none"
        if isinstance(what, str):
            what = self._find(what)
        self._start(lambda: self._begin(what, x, v, cut), "S2-4")

    @staticmethod
    def chains():
        """The names of the chains that can be loaded."""
        return list(CHAINS)

    @staticmethod
    def title_of(example):
        return f"{example.name}:  {example.title}"

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def move_cut(self, cut):
        """Cut after this many functions, 1 to their number."""
        try:
            places = int(cut)
        except (TypeError, ValueError, OverflowError):
            places = 0
        count = len(self.chain.links)
        if not 1 <= places <= count or places != cut and str(places) != str(cut).strip():
            self._refuse("cut", f"The cut goes after function 1 to {count}, not {cut!r:.40}.")
        else:
            self._edit("cut", lambda: {"cut": places})

    @action
    def step_cut(self, by):
        """Move the cut by one function, right (1) or left (-1); it stops at the ends."""
        with self._at("cut"):
            by = 1 if read_number(by) > 0 else -1
        cut = min(max(self.cut + by, 1), len(self.chain.links))
        self._edit("cut", lambda: {"cut": cut})

    @action
    def set_upstream(self, value):
        """Set all of v; another shape than the output's is refused in PyTorch's words."""
        self._edit("upstream", lambda: {"v": read_array(value)})

    @action
    def set_upstream_entry(self, index, value):
        """Set one weight of v; index as in Python, (0,) or 0."""
        index = index_in(index, self._shown.v.shape, "upstream")
        self._edit(
            ("upstream", index), lambda: {"v": with_entry(self._shown.v, index, read_number(value))}
        )

    @action
    def set_input(self, value):
        """Set all of x; v becomes ones if the output's shape changes with it."""
        self._edit("input", lambda: {"x": read_array(value)})

    @action
    def choose_mistake(self, name):
        """ "none": hand g over; "forget": ones in its place; "twice": g with an old share in it."""
        self.mistake = one_of(name, MISTAKES, "mistake", "mistake")

    @action
    def set_weight(self, value):
        """Set w of the loop over time."""
        self._edit("weight", lambda: {"weight": read_number(value)})

    @action
    def set_start(self, value):
        """Set x0 of the loop over time."""
        self._edit("start", lambda: {"start": read_number(value)})

    # --- what it shows --------------------------------------------------------------------------

    @property
    def chain(self):
        return self._shown.chain

    @property
    def cut(self):
        """After how many functions the chain is cut."""
        return self._shown.cut

    @property
    def input(self):
        """x, as nested lists."""
        return self._shown.x.tolist()

    @property
    def values(self):
        """x, what is between, and the output, as nested lists."""
        return [value.tolist() for value in self._shown.values]

    @property
    def upstream(self):
        """v, one weight for each output, as nested lists."""
        return self._shown.v.tolist()

    @property
    def seam_name(self):
        """The name of the value that is cut."""
        return self.chain.values[self.cut]

    @property
    def seam_gradient(self):
        """g: what the right half computes, as nested lists."""
        return self._shown.halves.handed["none"].tolist()

    @property
    def handed(self):
        """What is really handed over: g, or with a mistake something else."""
        return self._shown.halves.handed[self.mistake].tolist()

    @property
    def input_grad(self):
        """x.grad of the two halves, with the mistake if there is one."""
        return self._shown.halves.grads[self.mistake].tolist()

    @property
    def right_grad(self):
        """x.grad of the two halves when g is handed over as it is."""
        return self._shown.halves.grads["none"].tolist()

    @property
    def uncut_grad(self):
        """x.grad of the uncut chain."""
        return self._shown.halves.uncut.tolist()

    @property
    def unrolled(self):
        """The loop over time, right and with a share counted twice."""
        return self._shown.unrolled

    @property
    def same(self):
        """Whether what is shown as x.grad is that of the uncut chain."""
        return agreement.agree(self.input_grad, self._shown.halves.uncut)

    @property
    def right_same(self):
        """Whether the two halves give the uncut chain's x.grad when g is handed over."""
        return agreement.agree(self.right_grad, self._shown.halves.uncut)

    def stored_answer(self):
        """PyTorch's `Halves` from the record alone; they are linear in v."""
        shown, chain, rows = self._shown, self.chain, None
        if CHAINS.get(chain.name) is chain and np.array_equal(shown.x, np.array(chain.x)):
            rows, version = recorded.old_answer("seams", record_key(chain, shown.cut))
        if rows is None:
            return missing()

        def weighed(pick):
            weights = shown.v.ravel()
            return sum(weight * np.array(pick(row)) for weight, row in zip(weights, rows)) + 0.0

        def for_each_mistake(what):
            found = {name: weighed(lambda row, name=name: row[what][name]) for name in MISTAKES}
            found["forget"] = np.array(rows[0][what]["forget"])  # ones are ones, whatever v is
            return found

        uncut = weighed(lambda row: row["uncut"])
        return stored(version, Halves(for_each_mistake("handed"), for_each_mistake("grads"), uncut))

    def torch_loop(self, wait=False):
        """PyTorch's w.grad after the loop's last window, {"right": ..., "twice": ...}."""
        given = self.unrolled.weight, self.unrolled.start

        def recorded_loop():
            found, version = recorded.old_answer("seams", "unrolled")
            known = found is not None and given == (WEIGHT, START)
            return stored(version, found) if known else missing()

        return ask(lambda torch: live(torch, unrolled_answer(torch, *given)), recorded_loop, wait)

    def agrees(self, answer=None):
        """Whether PyTorch's g and x.grad are minigrad's; None without an answer."""
        answer = answer or self.torch_answer(wait=True)
        if answer.found is None:
            return None
        mine, theirs = self._shown.halves, answer.found
        return agreement.agree(mine.uncut, theirs.uncut) and all(
            agreement.agree(mine.handed[name], theirs.handed[name])
            and agreement.agree(mine.grads[name], theirs.grads[name])
            for name in MISTAKES
        )

    def difference(self, answer):
        """How far PyTorch's x.grad is from what is shown, as text."""
        theirs = answer.found.grads[self.mistake]
        return agreement.difference_text(self.input_grad, theirs, self.agrees(answer))

    # --- in words --------------------------------------------------------------------------------

    def call_line(self):
        """The call of the left half, with the actual numbers."""
        values = nested(self.handed, _torch_number)
        return f"{self.seam_name}.backward(gradient=torch.tensor({values}))"

    def right_line(self):
        """What the right half computes, in a sentence."""
        name, out = self.seam_name, self.chain.values[-1]
        if self.cut == len(self.chain.links):
            return f"nothing is right of the cut: g = v = {nested(self.seam_gradient)}"
        gradient = f"v\u00b7\u2202{out}/\u2202{name}"
        return f"this half computes g = {gradient} = {nested(self.seam_gradient)}"

    def mistake_line(self):
        """What is handed over, in a sentence."""
        name = self.seam_name
        return {
            "none": f"g is handed over, and the left half needs nothing else from the right: "
                    f"{name}.backward(g) gives what the uncut chain gives.",
            "forget": f"g is forgotten, and ones are handed over in its place: the left half then "
                      f"differentiates {name}.sum(), not {self.chain.values[-1]}.",
            "twice": "An earlier backward had left its g in the seam's .grad, which was not "
                     "cleared: what is handed over holds that share, too, so it counts twice.",
        }[self.mistake]

    def sum_lines(self):
        """One line of arithmetic for each entry of g: g\u2081 = 1\u00b76 + 1\u00b71 = 7."""
        columns = self._shown.jacobian.T
        sizes = np.shape(self.seam_gradient)
        return [
            f"{entry_name('g', index)} = "
            f"{sum_of_products(self._shown.v.ravel(), [number(value) for value in column])} = "
            f"{number(self._shown.halves.handed['none'][index])}"
            for index, column in zip(indices(sizes), columns)
        ]

    def loop_lines(self):
        """The loop over time as rows of text: window, handed back and w.grad, right and twice."""
        rows = [("window", "handed back", "w.grad", "handed back", "w.grad")]
        for k, (right, twice) in enumerate(zip(self.unrolled.right, self.unrolled.twice)):
            rows.append((
                f"h{k + 1}", *(
                    text for one in (right, twice)
                    for text in (nested(list(one.handed)), number(one.weight_grad))
                ),
            ))
        return rows

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return "What crosses the cut is covered until you commit a guess."
        grad = nested(self.input_grad)
        verdict = "as uncut" if self.same else f"wrong, uncut it is {nested(self.uncut_grad)}"
        return (
            f"Cut at {self.seam_name}. {nested(self.handed)} is handed over; "
            f"{self.chain.values[0]}.grad is {grad}, {verdict}."
        )

    def state(self):
        """Everything the cutter shows, as plain values."""
        return {
            "chain": self.chain.name,
            "cut": self.cut,
            "values": self.values,
            "upstream": self.upstream,
            "mistake": self.mistake,
            "seam_gradient": self.seam_gradient,
            "handed": self.handed,
            "input_grad": self.input_grad,
            "right_grad": self.right_grad,
            "uncut_grad": self.uncut_grad,
            "same": self.same,
            "unrolled": self.unrolled.state(),
            "covered": self.covered,
            "message": self.message,
            "refused_at": self.refused_at,
        }

    def lines(self, answer=None):
        """What is shown, as (label, text) pairs. answer: PyTorch's side, if not the live one."""
        names, lines = self.chain.values, []
        for k, (name, value) in enumerate(zip(names, self._shown.values)):
            mark = "  <- the cut" if k == self.cut else ""
            lines.append((name, f"{nested(value.tolist())}  shape {shape(value.shape)}{mark}"))
        lines.append(("v", f"{nested(self.upstream)}  the upstream gradient of {names[-1]}"))
        if self.covered:
            return lines + [("refused", self.message)] * bool(self.message)
        answer = answer or self.torch_answer(wait=True)
        lines.append(("right", self.right_line()))
        lines.append(("left", self.call_line()))
        grad = f"{names[0]}.grad"
        same = "=" if self.same else "\u2260"
        lines.append((grad, f"in two halves {nested(self.input_grad)}"))
        if not self.same:
            lines.append(("", f"handing over g {nested(self.right_grad)}"))
        lines.append(("", f"uncut {nested(self.uncut_grad)} {same}"))
        if answer.found is None:
            lines.append(("PyTorch", answer.text))
        else:
            sign = "=" if self.agrees(answer) else "\u2260"
            theirs = nested(answer.found.grads[self.mistake].tolist())
            difference = f"largest difference {self.difference(answer)}"
            lines.append(("PyTorch", answer.labelled(f"{sign} {theirs}, {difference}")))
        lines.append(("mistake", f"{self.mistake}. {self.mistake_line()}"))
        if self.mistake == "twice":
            loop = self.unrolled
            lines.append(("loop", f"w = {number(loop.weight)}, x0 = {number(loop.start)}: "
                          f"w.grad is {loop.right[-1].weight_grad:.4f}; a share counted twice gives "
                          f"{loop.twice[-1].weight_grad:.4f}"))
        if self.message:
            lines.append(("refused", self.message))
        return lines

    def __repr__(self):
        return self.text()

    def text(self, answer=None):
        """The cutter as text. answer: PyTorch's side, if not the live one."""
        width = max(9, len(self.chain.values[0]) + 6, *(len(n) + 1 for n in self.chain.values))
        text = [wrapped("", f"Seam cutter, {self.chain.name}: {self.chain.title}")]
        text += [wrapped("  ", f"{link.name}: {link.formula}") for link in self.chain.links]
        text += [wrapped(f"{label:<{width}}", line) for label, line in self.lines(answer)]
        text += [repr(self.card)] * self.covered
        return "\n".join(text)

    # --- inside ----------------------------------------------------------------------------------

    def _begin(self, what, x, v, cut):
        """Open a chain, or a learner's own functions, with what is given."""
        if isinstance(what, Chain):
            return self._open(what, x, v, cut)
        chain = own_chain([what] if callable(what) else what, x, v)
        self._open(chain, cut=cut)
        self.own = chain

    def _open(self, chain, x=None, v=None, cut=1):
        x = read_array(chain.x if x is None else x)
        self._shown = self._run(chain, x, chain.v if v is None else v, cut, WEIGHT, START)
        self.mistake = "none"
        self._cover()

    def _question(self):
        out = self.chain.values[-1]
        return PredictCard(
            f"{self.chain.title}, cut at {self.seam_name}. The right half runs backward(v) with "
            f"v = {nested(self.upstream)}. Which g does it hand over to the left half?",
            lambda: self.seam_gradient,
            why=f"g is v\u00b7\u2202{out}/\u2202{self.seam_name}, in the shape of "
                f"{self.seam_name}: the upstream gradient of the left half.",
        )

    def _edit(self, place, change):
        """Try a change of x, v, the cut or the loop; refused, it leaves everything as it was."""
        shown = self._shown
        given = {"x": shown.x, "v": shown.v, "cut": shown.cut,
                 "weight": shown.unrolled.weight, "start": shown.unrolled.start}
        try:
            edited = {**given, **change()}
            if place == "input" and np.shape(edited["x"]) != shown.x.shape:
                edited["v"] = None  # another output may come of it
            self._shown = self._run(self.chain, **edited)
        except Exception as error:  # of the reader, the engine, or the learner's functions
            self._refuse(place, in_a_sentence(error))
        self._ask_anew()

    def _run(self, chain, x, v, cut, weight, start):
        """The whole state for these givens. Raises whatever is wrong with them."""
        minigrad, links = engines.minigrad, chain.links
        if not isinstance(cut, int) or not 1 <= cut <= len(links):
            raise Refused(f"The cut goes after function 1 to {len(links)}, not {cut!r:.40}.")
        x = single(x)
        values, again = (
            tuple(values_of(value) for value in forward(minigrad, links, leaf(minigrad, x)))
            for _ in range(2)
        )
        for first, second in zip(values, again):
            check_steady(first, second)
        for name, value in zip(chain.values, values):
            if not 1 <= value.size <= MAX_ENTRIES:
                raise Refused(f"{name} has {value.size} elements; 1 to {MAX_ENTRIES} can be shown.")
        v = single(np.ones(values[-1].shape) if v is None else read_array(v))
        found = halves(minigrad, links, x, v, cut)
        sizes = values[-1].shape
        jacobian = np.array([
            _seam_grad(links[cut:], values[cut], with_entry(np.zeros(sizes), index, 1.0)).ravel()
            for index in indices(sizes)
        ])
        return _Shown(chain, x, v, cut, values, found, jacobian,
                      unroll(minigrad, weight, start))

    def _ask_torch(self, torch):
        """The `Halves` by PyTorch."""
        shown = self._shown
        try:
            return live(torch, halves(torch, self.chain.links, shown.x, shown.v, shown.cut))
        except Exception as error:  # PyTorch does not take the learner's functions
            return could_not_run(error)


def record_key(chain, cut):
    """The name of a chain and a cut in the record."""
    return f"{chain.name} | {cut}"


def _seam_grad(links, value, v):
    """The seam's gradient of the right half alone, for one v."""
    torch = engines.minigrad
    seam = leaf(torch, value)
    z = forward(torch, links, seam)[-1]
    z.backward(torch.tensor(v.tolist(), dtype=torch.float32), inputs=[seam])
    return values_of(seam.grad)


def _torch_number(value):
    """A number as `torch.tensor` prints it: 7., 0.2."""
    text = number(value)
    return text + "." if text.lstrip("-").isdigit() else text
