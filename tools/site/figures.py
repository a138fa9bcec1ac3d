"""The figures of the answer's page, which move without Python.

    figure("surprise")      one figure as HTML, in its first state: it can be read without a script
    style(), script()       what all figures of a page share

Every number that follows is linear in what a reader may change. So the engine computes each
number's coefficients when the page is built, `data-linear` holds them, and a script (figures.js)
multiplies and adds in float32. A figure may have several cases, such as the places of a cut: then a
number has a row of coefficients for each. The layout is in templates/figures.html.
tests/browser/test_figures.py compares all numbers with the engine's.
"""

import json
import re
from pathlib import Path

import numpy as np
from markupsafe import Markup

import minigrad as torch
from minigrad.autograd.functional import jacobian as jacobian_at
from minigrad.classroom.show.drawing import flow as price_list
from minigrad.classroom.show.drawing import palette, svg
from minigrad.classroom.show.formatting import MINUS, indices, number, shape, spoken
from minigrad.errors import FREED
from tools.templates import filters, part, render

SCRIPT = Path(__file__).with_name("figures.js")
A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
STEPS = (-1.0, -0.5, -0.1, -0.01, 0.01, 0.1, 0.5, 1.0)  # of x in the figure of the rule
FIRST_STEP = STEPS.index(0.1)


# --- what the engine computes --------------------------------------------------------------------


def jacobian_of(program, x):
    """J of y = program(x), row by row: y.backward(v) leaves v·J in x.grad, and J·u is how y moves
    when x moves along u."""
    x = torch.tensor(x)
    return jacobian_at(program, x).reshape(-1, x.numel()).tolist()


def columns(rows):
    """For each number that follows, its coefficients."""
    return [list(column) for column in zip(*rows)]


def square(a):
    return a * a


def two_outputs(x):
    return torch.stack([3 * x, x**2])


def behind_cut(cut, v):
    """The gradients that `v`, handed over at a cut of the price-list program, leaves before it."""
    w = torch.zeros(2, requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    p = torch.tensor(price_list.X) @ w + b
    e = p - torch.tensor(price_list.T)
    tensors = {"w": w, "b": b, "p": p, "e": e, "loss": (e * e).mean()}
    before = ["w", "b", *price_list.CUTS[: price_list.CUTS.index(cut)]]
    upstream = torch.tensor(v if cut != "loss" else v[0])
    grads = torch.autograd.grad(tensors[cut], [tensors[name] for name in before], upstream)
    return {name: np.ravel(grad.tolist()) for name, grad in zip(before, grads)}


# --- the figures ---------------------------------------------------------------------------------


class Figure:
    """What a reader may change, v, and in which case a figure is."""

    def __init__(self, name, v, case=0):
        self.name, self.v, self.case = name, [float(entry) for entry in v], case
        self.state = json.dumps({"v": self.v, "case": self.case})

    def follows(self, *forms):
        """A number that follows from v: a row of coefficients for each case, or one for all."""
        return Number(self.v, forms, forms[min(self.case, len(forms) - 1)])

    def matrix(self, rows):
        """Numbers that follow, tinted together. rows: of coefficients for each case."""
        made = [[self.follows(*forms) for forms in row] for row in rows]
        largest = palette.largest_of(np.array([[one.value for one in row] for row in made]))
        for one in sum(made, []):
            one.largest = largest
        return made

    def drawn(self, place, **values):
        return part("figures.html", place, self, **values)


class Number:
    """A number that follows: its coefficients, and what it is at first. One coefficient more than v
    has numbers is a number that is added."""

    def __init__(self, v, forms, form):
        self.linear = json.dumps([[float(f"{c:.9g}") for c in row] for row in forms])
        total, single = np.float32(0), np.float32  # in float32 and in the script's order
        for coefficient, entry in zip(form, [*v, 1.0]):
            total = single(total + single(single(entry) * single(coefficient)))
        self.value = float(total)
        self.largest = abs(self.value)

    @property
    def tint(self):
        return palette.sign_class(self.value, self.largest)


def surprise(name="surprise", without=""):
    """out = a * a: forward runs to the right on top, backward to the left beneath. without: a fill
    of v that is left out."""
    made, forms = Figure(name, np.ones(6)), columns(jacobian_of(square, A))
    fills = {"v = ones": np.ones(6), "v = a": A, "one-hot": np.eye(6)[1]}
    return made.drawn(
        "surprise",
        a=A,
        out=np.square(A).tolist(),
        fills={text: v for text, v in fills.items() if text != without},
        entries=[f"upstream gradient v, {spoken(index)}" for index in indices((2, 3))],
        grad=made.matrix([[[forms[3 * row + column]] for column in range(3)] for row in range(2)]),
    )


def of_outputs(made):
    """What the two figures of two outputs share: their derivatives on the arrows, and one slot."""
    [slopes] = columns(jacobian_of(two_outputs, 2.0))
    names = "y\u2081 = 3x", "y\u2082 = x\u00b2"
    values = two_outputs(torch.tensor(2.0)).tolist()
    shares = [made.follows(row) for row in np.diag(slopes)]
    vs = [1, 1], [1, 0], [0, 1], [2, -1]
    return {
        "fills": {f"v = {str(v).replace('-', MINUS)}": v for v in vs},
        "ways": list(zip(names, "\u2081\u2082", slopes, values, shares)),
        "slot": made.follows(slopes),
    }


def two():
    """Two derivatives, one slot."""
    made = Figure("two", [1, 1])
    return made.drawn("two", **of_outputs(made))


def rule():
    """The same, with the one number L, and x moved by a small step."""
    made = Figure("rule", [2, -1], FIRST_STEP)
    xs = torch.tensor([2.0, *(2.0 + step for step in STEPS)], dtype=torch.float64)
    near, *far = np.transpose(two_outputs(xs).tolist())
    rates = [(there - near) / step for there, step in zip(far, STEPS)]
    return made.drawn(
        "rule",
        **of_outputs(made),
        moved=[number(2 + step) for step in STEPS],
        steps=[number(step, minus=True) for step in STEPS],
        here=made.follows(near),
        there=made.follows(*far),
        rate=made.follows(*rates),
    )


def jacobian():
    """J as a grid: v left of its rows and x.grad under its columns, or u above and J·u beside."""
    made = Figure("jacobian", [1, 10, 1, 0, 2])
    J, rows = jacobian_of(lambda x: torch.tensor(A) @ x, [1.0, 1.0, 1.0]), []
    slots = np.eye(5)  # of v, and of u
    for i, row in enumerate(J):  # the derivatives of an output
        shares = [made.follows(dy * slots[i], dy * slots[2 + j]) for j, dy in enumerate(row)]
        rows.append((list(zip(row, shares)), made.follows([0, 0, *row])))
    grads = [made.follows([*form, 0, 0, 0]) for form in columns(J)]
    return made.drawn("jacobian", rows=rows, grads=grads)


def flow():
    """The price-list program with a cut that can be dragged, and the v that crosses it."""
    numbers = price_list.read_flow()
    start = [*numbers.grads["p"].tolist(), 1.0]  # what crosses at p, at e too; and at the loss
    made = Figure("flow", start)
    forms = {name: [] for name in ("w", "b", "p", "e", "loss")}
    for cut in price_list.CUTS:
        crossing = slice(4, 5) if cut == "loss" else slice(4)
        got = [behind_cut(cut, one[crossing]) for one in np.eye(5).tolist()]
        for name, cases in forms.items():
            if name in got[0]:  # before the cut: what v leaves there
                cases.append(np.array([one[name] for one in got]).T.tolist())
            else:  # behind it: what the loss has sent
                cases.append([[0, 0, 0, 0, 0, value] for value in np.ravel(numbers.grads[name])])
    forms = {name: list(zip(*cases)) for name, cases in forms.items()}
    live = {
        name: [f' data-linear="{made.follows(*rows).linear}"' for rows in of_name]
        for name, of_name in forms.items()
    }
    words = price_list.flow_in_words(numbers, "p")
    plans = {"wide": price_list.WIDE, "narrow": price_list.NARROW}
    return made.drawn(
        "flow",
        pictures={
            name: Markup(price_list.draw_flow(numbers, words, plan=plan, live=live).svg())
            for name, plan in plans.items()
        },
        stops={
            name: [plan.cut(cut) / plan.width for cut in price_list.CUTS]
            for name, plan in plans.items()
        },
        fills={"what the loss sends": start, "ones": np.ones(5)},
        grad=made.matrix([[*forms["w"], *forms["b"]]]),
    )


def twice():
    """.grad adds up, and a graph can be walked once."""
    made = Figure("twice", [0])
    grads = np.reshape(np.ravel(A) @ jacobian_of(square, A), (2, 3))  # of out.backward(a)
    grad = made.matrix([[[[value]] for value in row] for row in grads])
    return made.drawn("twice", a=A, grad=grad, refusal=f"RuntimeError: {FREED}")


def lesson():
    """The first figure at the top of lesson 03, which asks later what v = a gives."""
    return surprise("lesson", without="v = a")


filters["minus"] = lambda value: number(value, minus=True)
filters["signed"] = lambda value: number(value, signed=True, minus=True)
filters["plain"] = number
filters["tint"] = lambda value: palette.sign_class(value, abs(value))
filters["shape"] = lambda rows: shape((len(rows), len(rows[0])))
filters["arrow"] = lambda width, backward=False: Markup(svg.arrow(width, backward))
# Numbers as the script writes a list of them.
filters["list_of"] = lambda v: json.dumps(
    [int(x) if x == int(x) else float(x) for x in np.ravel(v)]
)
filters["json"] = json.dumps


FIGURES = {draw.__name__: draw for draw in (surprise, two, rule, jacobian, flow, twice, lesson)}


def figure(name):
    """A figure as an HTML fragment without an empty line."""
    return FIGURES[name]()


# --- what the figures of a page share ------------------------------------------------------------


def style():
    light, dark = map(palette.in_theme, ("light", "dark"))
    levels = range(1, palette.LEVELS + 1)
    return _within_markdown(render("figures.css", light=light, dark=dark, levels=levels))


def script():
    return _within_markdown(SCRIPT.read_text(encoding="utf-8"))


def _within_markdown(text):
    """A style or a script without its comments and empty lines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))
