"""The predict card on the screen."""

from ..models.predict import PredictCard as PredictModel
from . import controls, looks, theme
from .base import View
from .drawing import Picture


class PredictCard(View):
    """A question; a guess is committed, then the answer is shown beside it.

    Arguments as in `minigrad.classroom.models.predict.PredictCard`, which is `.model`.
    """

    shows_torch = False

    def __init__(
        self, question, answer=None, *, kind=None, choices=None, why="", misconceptions=None
    ):
        if isinstance(question, PredictModel):
            model = question
        else:
            model = PredictModel(
                question, answer, kind=kind, choices=choices, why=why, misconceptions=misconceptions
            )
        title = controls.html_area(
            f'<div class="mg-line"><strong>Predict.</strong> {theme.escape(model.question)}</div>'
        )
        self._typed = None  # the field for a number or a list
        self._choices = None  # or one button for each choice
        self._chosen = None
        if model.kind == "choice":
            options = {choice: choice for choice in model.choices}
            self._choices = controls.Choices("your guess", options, self._choose, gap="6px")
            answer = self._choices.box
        else:
            example = "a number" if model.kind == "number" else "a list: [1, 2] or [[1, 0], [0, 2]]"
            self._typed = controls.text_field(
                "your guess", "your guess", lambda text: self.act(self._note), width="30em"
            )
            self._typed.placeholder = example
            controls.on_enter(self._typed, lambda: self.act(self._commit, model))
            answer = self._typed
        commit = controls.button(
            "Commit",
            "Commit this guess and reveal the answer",
            lambda: self.act(self._commit, model),
        )
        show = controls.button(
            "Show me", "Reveal the answer without a guess", self.acting(model.show)
        )
        self._result = controls.html_area()
        children = [theme.style_sheet(), title, controls.row([answer, commit, show]), self._result]
        super().__init__(model, children)

    def _note(self):
        """Something was typed: it is read when it is committed, but it has its turn."""

    def _commit(self, model):
        guess = self._chosen if model.kind == "choice" else self._typed.value
        model.commit(guess if guess is not None else "")

    def _choose(self, choice):
        self._chosen = choice
        self.refresh()

    def redraw(self):
        model = self.model
        if self._choices is not None:
            self._choices.show(self._chosen)
        rows = "".join(
            f'<tr><th scope="row" style="text-align: left; padding-right: 1em; font-weight: 600; '
            f'vertical-align: top">{theme.escape(label)}</th>'
            f'<td style="text-align: left">{theme.escape(text)}</td></tr>'
            for label, text in model.lines()
        )
        table = f'<table class="mg-answer">{rows}</table>' if rows else ""
        refusal = theme.message("Not read.", model.message) if model.message else ""
        spoken = model.message or "; ".join(f"{label}: {text}" for label, text in model.lines())
        self._result.value = refusal + table + theme.spoken(spoken)

    def snapshot(self):
        """The card as a picture: the question, where to answer, and what is revealed."""
        model, picture = self.model, Picture()
        bottom = picture.paragraph(0, 14, f"Predict. {model.question}", 90, font="text") + 4
        if model.kind == "choice":
            for choice in model.choices:
                bottom = picture.paragraph(0, bottom, f"\u25cb {choice}", 90, font="text")
        else:
            picture.text(0, bottom + 10, "your guess", font="text")
            picture.box(100, bottom - 12, 340, 32)
            bottom += 46
        for label, text in model.lines():
            picture.text(0, bottom, label, bold=True)
            bottom = picture.paragraph(130, bottom, text, 76, font="text")
        return picture.img(repr(model)) + "<p>Run this cell to commit a guess.</p>"

    def summary(self):
        return repr(self.model)


class Cover:
    """The question before a panel's result: it hides `parts` until a guess is committed.

    `places` says where it is asked: a list for the panel's children, empty unless the model asks.
    """

    def __init__(self, model, parts=()):
        self.places = [controls.column([])] if model.asks else []
        self._parts = parts
        self._card = None

    def redraw(self, view):
        """Ask what the view's model asks, and hide or show the parts."""
        if not self.places:
            return
        model, card = view.model, view.model.card
        if card is not (self._card and self._card.model):
            if card is not None:
                card.watch(view.refresh)  # a committed guess uncovers the result
            self._card = None if card is None else PredictCard(card)
            self.places[0].children = [] if card is None else [self._card]
        for part in self._parts:
            looks.show(part, not model.covered)

    def snapshot(self):
        """The question as a picture, while the result is covered."""
        return self._card.snapshot()
