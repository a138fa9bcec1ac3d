"""The predict card on the screen, and the question before another panel's result."""

from ...show.html import Html, joined, tag
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import code, div, fold, line, strong

USE = "commit a guess"


def draw(card, path=""):
    """path: what stands before the names of the card's actions, where it is part of a panel."""
    not_read = parts.message("Not read.", card.message) if card.message else None
    return joined(
        line(strong("Predict."), " ", card.question),
        _bench(card, path),
        div("mg-answers", None if card.revealed else not_read, _answers(card)),
    )


def question_first(model):
    """What a model's card asks before its result is shown; once answered, how, in one line."""
    card = model.card
    if card is None:
        return Html()
    if card.revealed:
        return joined(_in_a_line(card), parts.announced(card.announcement()))
    return div("mg-first", draw(card, "card."), parts.announced(card.announcement()))


def _bench(card, path):
    done = card.revealed
    commit, show = "Commit this guess and reveal the answer", "Reveal the answer without a guess"
    buttons = [
        tag("button", "Commit", type="submit", class_="mg-main", title=commit),
        inputs.button("Show me", show, act(f"{path}show")),
    ]
    answer = _choices(card) if card.kind == "choice" else _field(card)
    form = tag("form", answer, None if done else buttons, **act(f"{path}commit"))
    return inputs.bench(form)


def _choices(card):
    done = card.revealed
    buttons = (inputs.radio("answer", one == card.guess, done, value=one) for one in card.choices)
    return [tag("label", *both) for both in zip(buttons, card.choices)]


def _field(card):
    example = "a number" if card.kind == "number" else "a list: [1, 2] or [[1], [2]]"
    given = {"placeholder": example, "wrong": card.refused_at == "guess", "name": "answer"}
    return inputs.field("your guess", "your guess", "", {}, disabled=card.revealed, **given)


def _answers(card):
    """What is revealed, as a table; nothing while the card is covered."""
    rows = [(label, _marked(card, label, text)) for label, text in card.lines()]
    return parts.table(rows, label="your guess and the answer") if rows else None


def _in_a_line(card):
    """An answered question in one line, the rest folded: the panel's result needs the room."""
    lines = {label: parts.minus(text) for label, text in card.lines()}
    answer = f"The answer is {lines['the answer']}."
    if card.right:
        answer = f"= You predicted it: {lines['the answer']}"
    elif card.committed:
        answer = f"\u2260 You said {lines['your guess']}. {answer} {lines.get('likely', '')}"
    return div("mg-answered", fold(answer, line(card.question), _answers(card)))


def _marked(card, label, text):
    text = parts.minus(text)
    if label not in ("your guess", "the answer"):
        return text
    text = text if card.kind == "choice" else code(text)
    return joined(text, " ", parts.equal(card.right)) if label == "your guess" else text
