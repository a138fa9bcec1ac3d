"""The figure of the front page: `out = a * a`, v under sliders, and a.grad, before any Python.

For a fixed `a`, `a.grad = v·J` is linear in v. So the engine computes `out` and J when the site is
built, the page carries them, and a short script (front.js) multiplies. tests/browser/test_front.py
compares its numbers with the engine's. Without the script, and on paper, a table stands there.
"""

import json
from pathlib import Path

from minigrad.classroom.show.drawing import palette, svg
from minigrad.classroom.show.formatting import brackets, indices, nested, number, shape, spoken
from minigrad.classroom.show.html import element, table, td, th
from minigrad.classroom.widgets.shared.point import one_hots
from minigrad.classroom.widgets.upstream_editor.model import UpstreamEditor

from . import links

HERE = Path(__file__).parent
LESSON = "03-weigh-outputs.ipynb"
FILLS = ("ones", "input")  # the editor's buttons that are buttons here, too
REACH, STEP = 6, 0.5  # of a slider: v = a lies within, and few key presses lead there
ARROW = 94  # pixels
# What the page says of itself. A lesson asks its own questions: there, only how to use the figure.
WORDS = {
    "index": """
        <p><strong>With six ones, <code>a.grad</code> is 2a. Somebody wrote
        <code>out.backward(a)</code> and got other numbers. Which ones?</strong>
        <span class="mg-front-alive">Guess, and then press <em>v = a</em>.</span></p>
        <p><code>v</code>, the argument of <code>backward</code>, has one weight for each output.
        <code>out.backward(v)</code> multiplies each output by its weight and adds the products.
        The slopes of this one number are left in <code>a.grad</code>.</p>
        <p>No Python runs on this page. When it was made, the engine computed <code>out</code> and
        J, the table of its slopes. As long as <code>a</code> stays the same, so does J, and
        <code>a.grad</code> is <code>v·J</code>: products and sums. A short script is enough for
        these, and shows the digits that the engine would show.</p>
        <p class="mg-front-alive"><a href="LIVE">Run the real engine</a> in this browser: lesson 03
        opens, and nothing is installed.</p>
    """,
    "lesson": """
        <p>Change a weight of <code>v</code>, and <code>a.grad</code> follows. The engine computed
        the slopes of <code>out</code> when this page was made, and a short script multiplies them
        by <code>v</code>.</p>
    """,
}


def figure(place):
    """The figure as an HTML fragment without an empty line.

    place: "index", the front page, or "lesson", the top of lesson 03's page. There, nothing gives
    away what `out.backward(a)` leaves, for the lesson asks it later.
    """
    editor, fills = UpstreamEditor("a * a, ones"), FILLS if place == "index" else FILLS[:1]
    words = " ".join(WORDS[place].replace("LIVE", links.live(LESSON)).split())
    live = _moving(editor, fills, f"mg-front-refused-{place}")
    parts = (
        f"<style>{_style()}</style>",
        element("div", live, class_="mg-front-live", hidden="hidden"),
        _still(editor, fills),
        element("div", words, class_="mg-front-words"),
        f"<script>{_file('front.js')}</script>",
    )
    jacobian = json.dumps(editor.jacobian)
    label = "out = a * a: change v, and a.grad follows"
    return element(
        "section", "".join(parts), class_="mg-front", aria_label=label, data_jacobian=jacobian
    )


def _moving(editor, fills, refused):
    """What moves: forward runs to the right on top, backward to the left beneath."""
    weights = "".join(_weight(index, refused) for index in indices(editor.output_shape))
    hands = (
        _heading("v", "you change, type or slide")
        + element("div", weights, class_="mg-front-weights")
        + f'<p id="{refused}" class="mg-front-refused" role="alert"></p>'
    )
    name = "upstream gradient v"
    return (
        '<div class="mg-front-title"><code>out = a * a</code></div>'
        + element("div", _fills(editor, fills), class_="mg-front-fills")
        + _matrix("a", "given", editor.input, "mg-front-a")
        + element("div", f"<code>a * a</code>{svg.arrow(ARROW)}", class_="mg-front-on")
        + _matrix("out", "given", editor.output, "mg-front-out")
        + _matrix("a.grad", "follows", editor.input_grad, "mg-front-grad", signed=True)
        + element(
            "div", f"<code>backward(v)</code>{svg.arrow(ARROW, True)}", class_="mg-front-back"
        )
        + element("div", hands, class_="mg-front-v", role="group", aria_label=name)
        + '<p class="mg-front-spoken" role="status"></p>'
    )


def _fills(editor, fills):
    """Buttons and a list that fill v; the value of each is that v."""
    shown, found = {"ones": "v = ones", "input": "v = a"}, "<span>fill</span>"
    for name in fills:
        v = json.dumps(_filled(name).upstream)
        found += element("button", shown[name], type="button", value=v)
    options = '<option value="">one-hot</option>'
    for index, v in zip(indices(editor.output_shape), one_hots(editor.output_shape)):
        options += element("option", "out" + brackets(index), value=json.dumps(v.tolist()))
    label = "one-hot: the weight 1 for one output, 0 for all others"
    return found + element("select", options, aria_label=label, autocomplete="off")


def _filled(name):
    """The editor after one of its buttons."""
    editor = UpstreamEditor("a * a")
    editor.press(name)
    return editor


def _weight(index, refused):
    """One weight of v: a box, and its slider below."""
    name = f"upstream gradient, {spoken(index)}"
    box = (
        f'<input type="text" value="+1" aria-label="{name}" aria-describedby="{refused}" '
        'autocomplete="off" spellcheck="false" autocapitalize="off">'
    )
    slider = (
        f'<input type="range" min="{-REACH}" max="{REACH}" step="{STEP}" value="1" '
        f'aria-label="slide {name}" autocomplete="off">'
    )
    return element("div", box + slider, class_="mg-front-weight")


def _matrix(name, told, values, class_, signed=False):
    """A tensor under its name, in its own shape."""
    rows = [[td(number(value, signed, minus=True)) for value in row] for row in values]
    label = f"{name}, shape {shape((len(values), len(values[0])))}"
    return element("div", _heading(name, told) + table(rows, aria_label=label), class_=class_)


def _heading(name, told):
    return f'<div class="mg-front-heading"><code>{name}</code> <small>{told}</small></div>'


def _still(editor, fills):
    """The same numbers without a script, and on paper."""
    given = f"<p><code>a = {nested(editor.input)}</code><br><code>out = a * a</code></p>"
    head = [th(f"<code>{name}</code>", "col") for name in ("v", "a.grad after out.backward(v)")]
    rows = [[td(_rows(one.upstream)), td(_rows(one.input_grad))] for one in map(_filled, fills)]
    return element("div", given + table(rows, head), class_="mg-front-still")


def _rows(values):
    """Nested lists with each row on a line of its own, as PyTorch prints them."""
    return nested(values).replace("], ", "],\n ")


def _style():
    """The colours of both themes, by what the page asks for and else the system; then the rest."""
    light, dark = (
        " ".join(f"--mg-{name}: {value};" for name, value in palette.in_theme(theme).items())
        for theme in ("light", "dark")
    )
    return (
        f".mg-front {{ {light} }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f'  :root:not([data-theme="light"]) .mg-front {{ {dark} }} }}\n'
        f'@media screen {{ :root[data-theme="dark"] .mg-front {{ {dark} }} }}\n'
        + _file("front.css")
    )


def _file(name):
    """A file beside this one, without its comments and empty lines."""
    return _stripped((HERE / name).read_text(encoding="utf-8"))


def _stripped(text):
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))
