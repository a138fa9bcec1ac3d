"""Predict first: with predict=True a widget's result is covered until a guess, or "show me"."""

import html

import pytest

from minigrad.classroom import widgets
from minigrad.classroom.widgets.predict_card.model import PredictCard
from tests.classroom.panels import name_of, named, nodes_of

# A widget; the answer, as a learner would type it, and a wrong one; a text that gives it away.
ASKED = {
    "UpstreamEditor": ("A @ x", "[41, 52, 63]", "[5, 7, 9]", "[41, 52, 63]"),
    "JacobianPicture": ("A @ x", "[41, 52, 63]", "[5, 7, 9]", "[41, 52, 63]"),
    "BackwardStepper": ("diamond", "72", "36", "36 \u00b7 2 = 72"),
    "SeamCutter": ("two layers", "[7, 9]", "[1, 1]", "[7, 9]"),
    "NudgeMeter": ("2b²", "one in between", "the smaller, the better", "secant"),
}
every = pytest.mark.parametrize("name", ASKED)


def opened(name, **options):
    return getattr(widgets, name)(ASKED[name][0], **options)


def seen(widget):
    """What a learner sees of a panel, as HTML."""
    return html.unescape(widget.html)


def answer(view, guess):
    """Answer as a learner does: by a button for a choice, or in the field."""
    card = view.model.card
    if card.kind == "choice":
        named(view, guess).click()  # a radio button
    else:
        named(view, "your guess").value = guess
    named(view, "Commit").click()


@every
def test_unasked_nothing_is_covered(name):
    view = opened(name)
    assert view.model.card is None and not view.model.covered
    if name not in ("BackwardStepper", "JacobianPicture"):  # they start before the result
        assert ASKED[name][3] in seen(view)
    assert "Commit" not in map(name_of, nodes_of(view))


@every
def test_the_result_is_covered_everywhere(name):
    view, given_away = opened(name, predict=True), ASKED[name][3]
    assert view.model.covered and view.state()["covered"]
    for shown in (seen(view), repr(view.model), view.summary(), html.unescape(view.still())):
        assert given_away not in shown
        assert "covered" in shown or view.model.card.question[:20] in shown
    assert view.model.card.question in seen(view)
    assert "covered" in view.model.announcement()


@every
def test_a_guess_uncovers_it_and_is_compared(name):
    _, right, wrong, told = ASKED[name]
    for guess, verdict in ((right, True), (wrong, False)):
        view = opened(name, predict=True)
        before = seen(view)
        answer(view, guess)
        assert view.model.card.right is verdict and not view.model.covered
        assert seen(view) != before
        getattr(view.model, "last", lambda: None)()  # the stepper's and the picture's end
        if name == "JacobianPicture":
            view.model.go_to(2)
        assert told in seen(view) and told in repr(view.model)
        assert ("you predicted it" in seen(view)) is verdict


@every
def test_show_me_is_always_allowed(name):
    view = opened(name, predict=True)
    named(view, "Show me").click()
    getattr(view.model, "last", lambda: None)()
    if name == "JacobianPicture":
        view.model.go_to(2)
    assert not view.model.covered and ASKED[name][3] in seen(view)


@every
def test_what_cannot_be_read_uncovers_nothing(name):
    view = opened(name, predict=True)
    for guess in ("", "[1, 2", "1e400", "__import__('os')", object()):
        view.model.card.commit(guess)
        assert view.model.card.message and view.model.covered
    assert ASKED[name][3] not in seen(view)


@every
def test_the_next_example_is_a_new_question(name):
    view = opened(name, predict=True)
    answer(view, ASKED[name][1])
    other = next(other for other in view.model.known if other != ASKED[name][0])
    view.model.load(other)
    assert view.model.covered and view.model.card.guess is None
    assert view.model.card.question in seen(view) and "you predicted it" not in seen(view)
    view.model.load("nobody")
    assert view.model.message and view.model.covered


@every
def test_every_example_has_an_answer_that_is_right(name):
    for example in type(opened(name).model).known:
        model = type(opened(name).model)(example, predict=True)
        assert isinstance(model.card, PredictCard)
        model.card.commit(model.card.answer)
        assert model.card.right and model.card.lines() and not model.covered, example


def test_an_edit_before_the_guess_asks_anew():
    stepper = widgets.BackwardStepper("diamond", predict=True).model
    stepper.set_upstream("2")
    assert "v = 2" in stepper.card.question and stepper.card.commit("144").right
    cutter = widgets.SeamCutter("two layers", predict=True).model
    cutter.set_upstream("[0, 0]")
    assert "v = [0, 0]" in cutter.card.question and cutter.card.commit("[0, 0]").right
    meter = widgets.NudgeMeter("2b²", predict=True).model
    meter.set_x("2")
    assert "= 2" in meter.card.question
    picture = widgets.JacobianPicture("A @ x", predict=True).model
    picture.set_upstream("[1, 0]")
    assert picture.card.commit("[1, 2, 3]").right


def test_what_would_show_the_result_waits():
    stepper = widgets.BackwardStepper("diamond", predict=True).model
    for step in (stepper.forward, stepper.last, stepper.play, lambda: stepper.go(2)):
        step()
        assert stepper.message.startswith("Commit a guess first") and stepper.step == 0
    assert not stepper.playing
    stepper.card.show()
    assert stepper.last().step == stepper.steps
    picture = widgets.JacobianPicture("A @ x", predict=True).model
    assert picture.go_to(2).stop == 0 and picture.message.startswith("Commit a guess first")
    picture.card.show()
    assert picture.go_to(2).stop == 2
    picture.load("three terms, b")  # a new question: back to J itself
    assert picture.stop == 0 and picture.covered


def test_the_other_product_is_a_known_mistake():
    picture = widgets.JacobianPicture(
        lambda torch, x: torch.tensor([[1.0, 2.0], [3.0, 4.0]]) @ x,
        [1, 1],
        v=[1, 10],
        u=[1, 10],
        predict=True,
    ).model
    assert picture.card.commit("[21, 43]").misconception.startswith("That is J\u00b7u")


def test_where_the_best_eps_lies_is_told_from_the_errors():
    def place(function, x):
        return widgets.NudgeMeter(function, x, predict=True).model.card.answer

    assert place(lambda x: x * x * x, 1) == "one in between"
    assert place(lambda x: 2 * x, 1) == "the larger, the better"
    assert place(lambda x: abs(x), 0) == "all the same"
    assert place(lambda x: x * x, 0) == "the smaller, the better"  # nothing is rounded at 0


def test_a_learner_s_own_program_is_asked_about_too():
    stepper = widgets.BackwardStepper(lambda x, y: x * y + x, 2, 3, predict=True).model
    assert stepper.covered and stepper.card.commit("4").right
