"""The figures of the answer's page, which move without Python.

    figure("surprise")      one figure as HTML, in its first state: it can be read without a script
    style(), script()       what all figures of a page share

Every number that follows is linear in what a reader may change. So the engine computes each
number's coefficients when the page is built, `data-linear` carries them, and a script (figures.js)
multiplies and adds in float32. A figure may have several cases, such as the places of a cut: then a
number has a row of coefficients for each. tests/browser/test_figures.py compares all of them with
the engine's numbers.
"""

import json
import re
from pathlib import Path

import numpy as np

import minigrad as torch
from minigrad.classroom.show.drawing import flow, palette, svg
from minigrad.classroom.show.formatting import indices, number, shape, spoken
from minigrad.classroom.show.html import element, table, td, th

HERE = Path(__file__).parent
REACH, STEP = 6, 0.5  # of a slider
ARROW = 94  # pixels
A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
STEPS = (-1.0, -0.5, -0.1, -0.01, 0.01, 0.1, 0.5, 1.0)  # of x in the figure of the rule
FIRST_STEP = STEPS.index(0.1)


# --- what the engine computes --------------------------------------------------------------------


def gradients(program, count):
    """Rows: what `program(v)` leaves for each one-hot v of `count` numbers. v·rows gives any v."""
    return [np.ravel(program(row)).tolist() for row in np.eye(count).tolist()]


def columns(rows):
    """For each number that follows, its coefficients."""
    return [list(column) for column in zip(*rows)]


def of_squares(v):
    """a.grad after out = a * a, out.backward(v)."""
    a = torch.tensor(A, requires_grad=True)
    (a * a).backward(torch.tensor(np.reshape(v, (2, 3)).tolist()))
    return a.grad.tolist()


def two_outputs(x):
    return torch.stack([3 * x, x**2])


def of_two_outputs(v):
    """x.grad after y = [3x, x²] at x = 2, y.backward(v)."""
    x = torch.tensor(2.0, requires_grad=True)
    two_outputs(x).backward(torch.tensor(v))
    return x.grad.tolist()


def of_matrix(v):
    """x.grad after y = A @ x, y.backward(v)."""
    x = torch.ones(3, requires_grad=True)
    (torch.tensor(A) @ x).backward(torch.tensor(v))
    return x.grad.tolist()


def along(u):
    """J·u of y = A @ x: y is linear in x, so moving x along u moves y by A @ u."""
    return (torch.tensor(A) @ torch.tensor(u)).tolist()


def behind_cut(cut, v):
    """The gradients that `v`, handed over at a cut of the price-list program, leaves before it."""
    w = torch.zeros(2, requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    p = torch.tensor(flow.X) @ w + b
    e = p - torch.tensor(flow.T)
    tensors = {"p": p, "e": e, "loss": (e * e).mean()}
    for name in flow.CUTS[: flow.CUTS.index(cut)]:
        tensors[name].retain_grad()
    tensors[cut].backward(torch.tensor(v if cut != "loss" else v[0]))
    before = {name: tensors[name] for name in flow.CUTS[: flow.CUTS.index(cut)]}
    return {name: np.ravel(one.grad.tolist()) for name, one in {"w": w, "b": b, **before}.items()}


def refused_again():
    """What a second pass through the same graph says."""
    a = torch.tensor(A, requires_grad=True)
    out = a * a
    out.backward(a)
    try:
        out.backward(a)
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    raise AssertionError("the second pass was not refused")


# --- parts ---------------------------------------------------------------------------------------


def summed(form, v):
    """A number from its coefficients, in float32 and in the script's order. One coefficient more
    than v has numbers is a number that is added."""
    total, single = np.float32(0), np.float32
    for coefficient, entry in zip(form, [*v, 1.0]):
        total = single(total + single(single(entry) * single(coefficient)))
    return float(total)


class Figure:
    """What a reader may change, v, and in which case a figure is; its parts are made from these."""

    def __init__(self, name, v, case=0):
        self.name, self.v, self.case = name, [float(entry) for entry in v], case

    def linear(self, *forms):
        """Attributes of a number that follows: a row of coefficients for each case, or one."""
        return {"data_linear": json.dumps([[float(f"{c:.9g}") for c in row] for row in forms])}

    def value(self, forms):
        return summed(forms[min(self.case, len(forms) - 1)], self.v)

    def chip(self, *forms, **more):
        value = self.value(forms)
        look = f"mg-chip {palette.sign_class(value, abs(value))}".strip()
        told = number(value, signed=True, minus=True)
        return element("span", told, class_=look, **self.linear(*forms), **more)

    def cells(self, rows, label, **more):
        """A matrix of numbers that follow, tinted together. rows: of lists of forms."""
        values = np.array([[self.value(forms) for forms in row] for row in rows])
        largest = palette.largest_of(values)
        made = [
            [
                td(
                    number(value, signed=True, minus=True),
                    class_=palette.sign_class(value, largest),
                    **self.linear(*forms),
                )
                for forms, value in zip(row, line)
            ]
            for row, line in zip(rows, values)
        ]
        said = f"{label}, shape {shape(values.shape)}"
        return table(made, class_="mg-matrix", aria_label=said, data_together="yes", **more)

    def hand(self, place, name, reach=REACH):
        """A box for one number of v, and its slider, which goes from -reach to reach."""
        value, refused = self.v[place], f"mg-refused-{self.name}"
        box = (
            f'<input type="text" class="mg-box {palette.sign_class(value, abs(value))}" '
            f'value="{number(value, signed=True, minus=True)}" data-at="{place}" '
            f'aria-label="{name}" aria-describedby="{refused}" autocomplete="off" '
            'spellcheck="false" autocapitalize="off">'
        )
        slide = (
            f'<input type="range" min="{-reach}" max="{reach}" step="{STEP}" value="{value:g}" '
            f'data-at="{place}" aria-label="slide {name}" autocomplete="off">'
        )
        return element("div", box + slide, class_="mg-weight")

    def fills(self, *filled):
        """Buttons that set v: (text, v)."""
        return "".join(
            element("button", text, type="button", data_v=_list(v)) for text, v in filled
        )

    def whole(self, label, caption, *parts, **more):
        """The figure around its parts, with where it refuses what was typed and where it speaks."""
        refused = f'<p id="mg-refused-{self.name}" class="mg-message" role="alert"></p>'
        inner = "".join(parts) + refused + '<p class="mg-spoken" role="status"></p>'
        state = json.dumps({"v": self.v, "case": self.case})
        return element(
            "figure",
            element("div", inner, class_="mg-stage") + element("figcaption", caption),
            class_=f"mg-figure mg-{self.name}",
            aria_label=label,
            data_state=state,
            **more,
        )


def _list(v):
    """Numbers as the script writes a list of them."""
    return json.dumps([int(one) if one == int(one) else float(one) for one in np.ravel(v)])


def heading(name, told=""):
    quiet = f' <span class="mg-quiet">{told}</span>' if told else ""
    return f'<div class="mg-heading"><code>{name}</code>{quiet}</div>'


def given(values, name):
    """A matrix that stays as it is."""
    rows = [[td(number(value, minus=True)) for value in row] for row in values]
    said = f"{name}, shape {shape((len(values), len(values[0])))}"
    return table(rows, class_="mg-matrix", aria_label=said)


def part(name, *inner, **more):
    return element("div", "".join(inner), class_=name, **more)


def group(label, *inner, **more):
    """Controls that belong together."""
    return element("div", "".join(inner), role="group", aria_label=label, **more)


def live(name):
    """A number that follows, for a screen reader: `figures.js` says it when a hand lets go."""
    return {"data_say": name}


# --- the figures ---------------------------------------------------------------------------------


def surprise(name="surprise", fills=("ones", "a")):
    """out = a * a: forward runs to the right on top, backward to the left beneath."""
    made = Figure(name, np.ones(6))
    forms = columns(gradients(of_squares, 6))
    out = np.square(A).tolist()
    v = "upstream gradient v"
    weights = [made.hand(k, f"{v}, {spoken(index)}") for k, index in enumerate(indices((2, 3)))]
    presets = {"ones": ("v = ones", np.ones(6)), "a": ("v = a", A)}
    one_hot = [("one-hot", np.eye(6)[1])]
    grads = [[[forms[3 * row + column]] for column in range(3)] for row in range(2)]
    return made.whole(
        "out = a * a: change v, and a.grad follows",
        "Type a number into <code>v</code>, or slide it.",
        part("mg-title", "<code>out = a * a</code>"),
        group("fill v", made.fills(*(presets[f] for f in fills), *one_hot), class_="mg-bench"),
        part("mg-a", heading("a", "given"), given(A, "a")),
        part("mg-on", f"<code>a * a</code>{svg.arrow(ARROW)}"),
        part("mg-out", heading("out", "given"), given(out, "out")),
        part(
            "mg-grad",
            heading("a.grad", "follows"),
            made.cells(grads, "a.grad", **live("a.grad is")),
        ),
        part("mg-back", f"<code>backward(v)</code>{svg.arrow(ARROW, True)}"),
        group(v, heading("v", "you change"), part("mg-weights", *weights), class_="mg-v"),
    )


def _outputs(made, slopes):
    """Two outputs on the right, their derivatives on the arrows, one slot on the left."""
    names = ("y\u2081 = 3x", "y\u2082 = x\u00b2")
    values = two_outputs(torch.tensor(2.0)).tolist()
    rows = ""
    for k, (name, value, slope) in enumerate(zip(names, values, slopes)):
        share = [slope * (k == other) for other in range(2)]
        index = "\u2081\u2082"[k]
        rows += part(
            "mg-way",
            part(
                "mg-on",
                f"v{index}\u00b7{number(slope)} = {made.chip(share)}{svg.arrow(150, True)}",
            ),
            part("mg-y", heading(name), f"<code>{number(value)}</code>"),
            group(
                f"v{index}",
                heading(f"v{index}"),
                made.hand(k, f"upstream gradient v, entry {k + 1}"),
                class_="mg-v",
            ),
        )
    return part(
        "mg-ways",
        part(
            "mg-slot",
            heading("x", "given"),
            "<code>2</code>",
            heading("x.grad", "follows"),
            made.chip(list(slopes), **live("x.grad is")),
        ),
        part("mg-both", rows),
    )


_FILLS = [([1, 1]), ([1, 0]), ([0, 1]), ([2, -1])]


def _fill_two(made):
    filled = ((f"v = {str(v).replace('-', chr(0x2212))}", v) for v in _FILLS)
    return group("fill v", made.fills(*filled), class_="mg-bench")


def two():
    """Two derivatives, one slot."""
    made = Figure("two", [1, 1])
    [slopes] = columns(gradients(of_two_outputs, 2))
    return made.whole(
        "Two outputs of one input: v says how their derivatives are combined in x.grad",
        "Two derivatives, 3 and 4, and one slot for them. <code>v</code> says how much of each.",
        _fill_two(made),
        _outputs(made, slopes),
    )


def rule():
    """The same, with the one number L, and x moved by a small step."""
    made = Figure("rule", [2, -1], FIRST_STEP)
    [slopes] = columns(gradients(of_two_outputs, 2))
    here = two_outputs(torch.tensor(2.0, dtype=torch.float64)).tolist()
    there = [two_outputs(torch.tensor(2.0 + step, dtype=torch.float64)).tolist() for step in STEPS]
    rates = [
        [(far - near) / step for far, near in zip(moved, here)] for moved, step in zip(there, STEPS)
    ]
    texts = json.dumps([number(2 + step) for step in STEPS])
    steps = json.dumps([number(step, minus=True) for step in STEPS])
    slider = (
        '<label class="mg-row">move <code>x</code> to <input type="range" min="0" '
        f'max="{len(STEPS) - 1}" step="1" value="{FIRST_STEP}" '
        f'data-cases="{",".join(json.loads(texts))}" aria-label="x" autocomplete="off"></label>'
    )
    lines = (
        ("at x = 2", made.chip(here)),
        (f"at x = {_text(texts, FIRST_STEP)}", made.chip(*there, **live("L is"))),
    )
    bars = "".join(part("mg-line", f"<span>L {told}</span>{chip}", _BAR) for told, chip in lines)
    growth = (
        f"<span>growth of L per unit of x, over a step of {_text(steps, FIRST_STEP)}</span>"
        + made.chip(*rates, **live("per unit of x"))
    )
    return made.whole(
        "L is the sum of v times y; x.grad is how fast it grows when x moves",
        "<code>L = v\u2081\u00b7y\u2081 + v\u2082\u00b7y\u2082</code>, with <code>v</code> held "
        "fixed. The smaller the step, the nearer its growth is to <code>x.grad</code>.",
        _fill_two(made),
        _outputs(made, slopes),
        part("mg-bench", slider),
        bars,
        part("mg-line mg-rate", growth),
        part(
            "mg-line mg-rate",
            f"<span><code>x.grad</code></span>{made.chip(list(slopes))}",
        ),
    )


_BAR = '<span class="mg-track"><i class="mg-bar" data-bar></i></span>'


def _text(texts, case):
    """A text that follows the case."""
    return f"<span data-texts='{texts}'>{json.loads(texts)[case]}</span>"


def jacobian():
    """J as a grid: v left of its rows and x.grad under its columns, or u above and J·u beside."""
    made = Figure("jacobian", [1, 10, 1, 0, 2])
    grads = columns(gradients(of_matrix, 2))
    moved = columns(gradients(along, 3))
    J = columns(grads)  # row by row: the derivatives of an output
    head = [th("", "col")]
    head += [
        th(
            f"x{chr(0x2081 + k)}"
            + part("mg-u", made.hand(2 + k, f"direction u, entry {k + 1}", 12), data_case="1"),
            "col",
        )
        for k in range(3)
    ]
    head.append(th(part("", "J\u00b7u", data_case="1"), "col"))
    rows = []
    for i, row in enumerate(J):
        hand = part("mg-v", made.hand(i, f"upstream gradient v, entry {i + 1}", 12), data_case="0")
        cells = [th(f"y{chr(0x2081 + i)}{hand}", "row")]
        for j, slope in enumerate(row):
            by_v = [slope if k == i else 0 for k in range(5)]
            by_u = [slope if k == 2 + j else 0 for k in range(5)]
            cells.append(td(f"<code>{number(slope)}</code>{made.chip(by_v, by_u)}"))
        form = [0, 0, *moved[i]]
        cells.append(td(made.chip(form, **live(f"J times u, entry {i + 1}"), data_case="1")))
        rows.append(cells)
    last = [th("<code>x.grad</code> = v\u00b7J", "row", data_case="0")]
    last += [
        td(made.chip([*form, 0, 0, 0], **live(f"x.grad, entry {j + 1}"), data_case="0"))
        for j, form in enumerate(grads)
    ]
    rows.append([*last, td("")])
    modes = "".join(
        element("button", text, type="button", data_to=case, aria_pressed=str(case == 0).lower())
        for case, text in enumerate(("v\u00b7J, what backward computes", "J\u00b7u"))
    )
    return made.whole(
        "The Jacobian of y = A x, with v left of its rows and x.grad under its columns",
        "A row of J belongs to an output, a column to an input. Under each derivative stands its "
        "product.",
        part("mg-title", "<code>y = A @ x</code>"),
        group("which product", modes, class_="mg-bench"),
        part("mg-scroll", table(rows, head, aria_label="Jacobian")),
    )


def flow_picture():
    """The price-list program with a cut that can be dragged, and the v that crosses it."""
    found = flow.read_flow()
    start = [*found.grads["p"].tolist(), 1.0]  # what crosses at p, at e too; and at the loss
    made = Figure("flow", start)
    forms = {name: [] for name in ("w", "b", "p", "e", "loss")}
    for cut in flow.CUTS:
        count = 1 if cut == "loss" else 4
        got = [behind_cut(cut, one) for one in np.eye(count).tolist()]
        for name, cases in forms.items():
            values = np.ravel(found.grads[name])
            if name in got[0]:  # before the cut: what v leaves there
                rows = np.array([one[name] for one in got]).T.tolist()
                rows = [[0, 0, 0, 0, *row] if count == 1 else [*row, 0] for row in rows]
            else:  # behind it: what the loss has sent
                rows = [[0, 0, 0, 0, 0, value] for value in values]
            cases.append(rows)
    attributes = {
        name: [_attributes(made.linear(*rows)) for rows in zip(*cases)]
        for name, cases in forms.items()
    }
    told = flow.flow_told(found, "p")
    pictures = "".join(
        part(
            f"mg-{name}",
            flow.draw_flow(found, told, plan=plan, live=attributes)
            .svg()
            .replace("<svg ", f'<svg data-stops="{_stops(plan)}" ', 1),
        )
        for name, plan in (("wide", flow.WIDE), ("narrow", flow.NARROW))
    )
    cuts = (
        '<label class="mg-cut">cut <input type="range" min="0" max="2" step="1" value="0" '
        'data-cases="before p,before e,before the loss" data-resets="" aria-label="cut" '
        'autocomplete="off"></label>'
    )
    names = [f"upstream gradient v, entry {k + 1}" for k in range(4)]
    hands = part("mg-weights", *(made.hand(k, n) for k, n in enumerate(names)), data_case="0 1")
    hands += part("mg-weights", made.hand(4, "upstream gradient v, of the loss"), data_case="2")
    fills = made.fills(("what the loss sends", start), ("ones", np.ones(5)))
    grads = [
        [[rows for rows in zip(*forms[name])][k] for name, k in (("w", 0), ("w", 1), ("b", 0))]
    ]
    return made.whole(
        "The price-list program, cut: v crosses the cut, and w.grad stays the same",
        "Drag the cut. Then hand over another <code>v</code>, such as ones: <code>w.grad</code> "
        "is no longer the loss's gradient.",
        part(
            "mg-slide",
            cuts,
            style=f"{_spread('wide', flow.WIDE)}; {_spread('narrow', flow.NARROW)}",
        ),
        pictures,
        part(
            "mg-hands",
            group(
                "upstream gradient v",
                heading("v", "crosses the cut"),
                hands,
                part("mg-row", fills),
                class_="mg-v",
            ),
            part(
                "mg-grad",
                heading("w.grad, b.grad", "follow"),
                made.cells(grads, "w.grad and b.grad", **live("w.grad and b.grad are")),
            ),
        ),
    )


def _attributes(given):
    return "".join(f' {key.replace("_", "-")}="{value}"' for key, value in given.items())


def _spread(name, plan):
    """From where to where the cuts go, as CSS variables for their slider."""
    first, last = (flow.line_of(plan, cut) / plan.width for cut in (flow.CUTS[0], flow.CUTS[-1]))
    return f"--{name}-from: {first:.2%}; --{name}-long: {last - first:.2%}"


def _stops(plan):
    """Where the cuts stand, as shares of the picture's width."""
    return " ".join(f"{flow.line_of(plan, cut) / plan.width:.4f}" for cut in flow.CUTS)


_WHOLE, _FREED = "a is saved for the pass", "freed: the pass is over, and a is gone from the graph"


def twice():
    """.grad adds up, and a graph can be walked once."""
    made = Figure("twice", [0])
    values = np.ravel(of_squares(np.ravel(A)))
    forms = [[[[values[3 * row + column]]] for column in range(3)] for row in range(2)]
    buttons = "".join(
        element("button", f"<code>{text}</code>", type="button", data_do=name)
        for name, text in (
            ("forward", "out = a * a"),
            ("backward", "out.backward(a)"),
            ("clear", "a.grad = None"),
        )
    )
    retain = (
        '<label class="mg-row"><input type="checkbox" data-retain="" autocomplete="off"> '
        "<code>retain_graph=True</code></label>"
    )
    return made.whole(
        "out.backward(a), pressed again and again: a.grad adds up",
        "Press <code>out.backward(a)</code> twice: first without <code>retain_graph=True</code>, "
        "then with it.",
        group("run a line", buttons, retain, class_="mg-bench"),
        part("mg-a", heading("a", "given"), given(A, "a")),
        part(
            "mg-grad",
            heading("a.grad", "adds up"),
            made.cells(forms, "a.grad", data_none="None", **live("a.grad is")),
        ),
        part(
            "mg-graph",
            heading("graph of out"),
            f'<span data-graph data-whole="{_WHOLE}" data-freed="{_FREED}">{_WHOLE}</span>',
        ),
        data_refusal=refused_again(),
    )


def lesson():
    """The first figure at the top of lesson 03, which asks later what v = a gives."""
    return surprise("lesson", ("ones",))


FIGURES = {
    "surprise": surprise,
    "two": two,
    "rule": rule,
    "jacobian": jacobian,
    "flow": flow_picture,
    "twice": twice,
    "lesson": lesson,
}


def figure(name):
    """A figure as an HTML fragment without an empty line."""
    return FIGURES[name]()


# --- what the figures of a page share ------------------------------------------------------------


def style():
    """The colours of both themes, by what the page asks for and else the system; then the rest."""
    light, dark = (
        " ".join(f"--mg-{name}: {value};" for name, value in palette.in_theme(theme).items())
        for theme in ("light", "dark")
    )
    tints = "\n".join(
        f".mg-figure .mg-{sign}-{level} {{ background: linear-gradient("
        f"var(--mg-{sign}-{level}) 0 0) var(--mg-paper) }}"
        for sign in ("plus", "minus")
        for level in range(1, palette.LEVELS + 1)
    )
    return (
        f".mg-figure {{ {light} }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f'  :root:not([data-theme="light"]) .mg-figure {{ {dark} }} }}\n'
        f'@media screen {{ :root[data-theme="dark"] .mg-figure {{ {dark} }} }}\n{tints}\n'
        + _file("figures.css")
    )


def script():
    return _file("figures.js")


def _file(name):
    """A file beside this one, without its comments and empty lines."""
    text = (HERE / name).read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))
