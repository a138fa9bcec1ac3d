"""The predict card on the screen, and the question before another panel's result."""

from collections.abc import Iterable
from typing import Any

from ..shared import controls, looks, theme
from ..shared.view import View
from .model import PredictCard


class PredictCardPanel(View, of=PredictCard):
    shows_torch = False
    use = "commit a guess"
    _typed: Any = None  # the field for a number or a list
    _choices: Any = None  # or one button for each choice
    _chosen = None

    def build(self, model: PredictCard) -> list[Any]:
        if model.kind == "choice":
            options = {choice: choice for choice in model.choices}
            self._choices = controls.Choices("your guess", options, self._choose)
            if sum(map(len, model.choices)) > 60:  # long ones, one below the other
                self._choices.box = controls.column(list(self._choices.buttons.values()))
            answer = self._choices.box
        else:
            example = "a number" if model.kind == "number" else "a list: [1, 2] or [[1], [2]]"
            self._typed = controls.text_field("your guess", "your guess", width="26em")
            self._typed.placeholder = example
            controls.on_enter(self._typed, self._commit)
            answer = self._typed
        commit, show = (
            "Commit this guess and reveal the answer",
            "Reveal the answer without a guess",
        )
        self._buttons = [
            controls.button("Commit", commit, self._commit, main=True),
            controls.button("Show me", show, self.acting(model.show)),
        ]
        title = controls.html_area(
            f'<div class="mg-line"><strong>Predict.</strong> {theme.escape(model.question)}</div>'
        )
        self._result = controls.classed("mg-answers", controls.html_area())
        return [title, controls.bench([answer, *self._buttons]), self._result]

    def _commit(self):
        guess = self._chosen if self._typed is None else self._typed.value
        self.act(self.model.commit, "" if guess is None else guess)

    def _choose(self, choice):
        if not self.model.revealed:
            self._chosen = choice
            self.refresh()

    def redraw(self) -> None:
        model = self.model
        done = model.revealed
        if self._choices is not None:
            self._choices.show(model.guess if done else self._chosen)
            for control in self._choices.buttons.values():
                control.disabled = done
        else:
            self._typed.disabled = done
            looks.mark(self._typed, "mg-wrong", model.refused_at == "guess")
        for control in self._buttons:
            looks.show(control, not done)
        wrong = theme.message("Not read.", model.message) if model.message and not done else ""
        self._result.value = wrong + _answers_html(model) + theme.spoken(model.announcement())


def _answers_html(model):
    """What is revealed, as a table; "" while the card is covered."""
    rows = [(theme.escape(label), _marked(model, label, text)) for label, text in model.lines()]
    return theme.table(rows, label="your guess and the answer") if rows else ""


def _in_a_line(model):
    """An answered question in one line, the rest folded: the panel's result needs the room."""
    told = {label: theme.minus(text) for label, text in model.lines()}
    said = f"The answer is {told['the answer']}."
    if model.right:
        said = f"= You predicted it: {told['the answer']}"
    elif model.committed:
        said = f"\u2260 You said {told['your guess']}. {said} {told.get('likely', '')}"
    question = f'<div class="mg-line">{theme.escape(model.question)}</div>'
    return f'<div class="mg-answered">{theme.fold(said, question + _answers_html(model))}</div>'


def _marked(model, label, text):
    text = theme.minus(text)
    if label not in ("your guess", "the answer"):
        return theme.escape(text)
    text = theme.escape(text) if model.kind == "choice" else theme.code(text)
    return f"{text} {theme.equal(model.right)}" if label == "your guess" else text


class Cover:
    """The question before a panel's result: it hides `parts` until a guess is committed.

    `places` says where it is asked: a list for the panel's children, empty unless the model asks.
    Once it is answered, one line tells how.
    """

    def __init__(self, model: Any, parts: Iterable[Any] = ()) -> None:
        self._question, self._answer = controls.column([]), controls.html_area()
        self.places = [self._question, self._answer] if model.asks else []
        self._parts = parts
        self._card: PredictCardPanel | None = None

    def redraw(self, view: View) -> None:
        """Ask what the view's model asks, and hide or show the parts."""
        if not self.places:
            return
        model, card = view.model, view.model.card
        if card is not (self._card and self._card.model):
            if card is not None:
                card.watch(view.refresh)  # a committed guess uncovers the result
            self._card = None if card is None else PredictCardPanel(card)
            self._question.children = [] if card is None else [self._card]
        answered = card is not None and card.revealed
        looks.show(self._question, not answered)
        told = _in_a_line(card) + theme.spoken(card.announcement()) if answered else ""
        self._answer.value = told
        for part in self._parts:
            looks.show(part, not model.covered)
