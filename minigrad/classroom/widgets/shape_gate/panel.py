"""The shape gate on the screen: two pickers and a guess; all pairs beside the answers."""

from ...show.formatting import nested, shape
from ...show.html import joined, tag
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import code, div, line, quiet, strong
from .drawing import NO, YES, draw_grid
from .model import GUESSES, NO_ARGUMENT, SHAPES

USE = "guess"

_OLD = "the rule before the check of 2019, acted out"


def draw(model):
    call = code("y.backward(gradient)")
    first, second, last = model.program
    grid = draw_grid(model, model.changed(lambda model: model.table()))
    text = "cover them again" if model.grid else "show all pairs"
    said = "Lay all pairs open, or cover them again"
    lay_open = inputs.button(text, said, act("show_grid", not model.grid))
    return joined(
        div("mg-title", "Which gradient does ", call, " let through?"),
        _bench(model),
        div("mg-program", f"{first}; {second}\n{last}"),
        div(
            "mg-gate",
            div("mg-pairs", grid.svg(), inputs.row(lay_open, quiet(model.score()))),
            div("mg-gate-answers", _answers(model)),
        ),
    )


def _bench(model):
    shapes = [(shape(sizes), sizes) for sizes in SHAPES]
    bare = (NO_ARGUMENT, NO_ARGUMENT)
    accept, refuse = (act("commit", guess) for guess in GUESSES)
    guesses = (
        ("it accepts", "Guess: backward accepts this gradient", accept),
        ("it refuses", "Guess: backward refuses this gradient", refuse),
        ("Show me", "Reveal the answer without a guess", act("show")),
    )
    done = model.revealed
    return inputs.bench(
        inputs.row(
            inputs.select("output", shapes, model.output, act("choose_output")),
            inputs.select("gradient", [*shapes, bare], model.gradient, act("choose_gradient")),
        ),
        inputs.row([inputs.button(*guess, disabled=done) for guess in guesses]),
    )


def _answers(model):
    refusal = parts.refusal(model, "The pair stays.")
    if not model.revealed:
        asked = tag("div", strong(model.asks_about()))
        return joined(asked, quiet("Guess, and three answers are shown here."), refusal)
    wrong = joined(parts.equal(False), " ", strong("Not so."))
    guess = {None: None, True: strong(f"{YES} Right."), False: wrong}[model.right]
    before, waits = model.old_answer(), parts.awaited(model.torch_answer())
    old = div("mg-old", _answer("Before 2019", before, _OLD), style="min-height: 140px")
    today = div("mg-today", _today(model), style="min-height: 148px", **waits)
    return joined(div("mg-guessed", guess), today, refusal or joined(old, line(model.reason())))


def _today(model):
    """What both engines do today, said once where they say the same."""
    answer = model.torch_answer()
    theirs, label = model.torch_said(answer), answer.label()
    if theirs is None:
        return _answer("Today", model.answer(), f"minigrad. {label}")
    if model.agrees(answer):
        return _answer("Today", theirs, f"{label} = minigrad")
    ours = _answer("\u2260", model.answer(), "minigrad")
    return joined(_answer("Today", theirs, label), ours)


def _answer(when, answer, source):
    """One answer: accepted or refused, then x.grad or the words, then what the old rule did."""
    mark = f"{YES} accepted" if answer.accepted else f"{NO} refused"
    words = code(f"x.grad = {nested(answer.grad)}") if answer.accepted else answer.message
    heading = div("mg-heading", f"{when}: {mark}")
    return joined(heading, quiet(source), [line(one) for one in (words, answer.text) if one])
