"""No text that reaches a panel becomes part of its HTML, wherever a learner or a page put it.

A drawing with a hostile text may have only the elements and attributes that it has with a harmless
one, and what its controls declare stays JSON.
"""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from minigrad.classroom import widgets
from tests.cases import over
from tests.classroom.hostile import HARMLESS, STRINGS
from tests.classroom.test_any_learner import OPENED, actions_of


class Drawn(HTMLParser):
    """What a browser makes of HTML: `names`, the elements and each one's attributes."""

    def __init__(self, html):
        super().__init__()
        self.names, self.declared = set(), []
        html.encode("utf-8")  # else no message could carry it
        self.feed(html)
        self.close()

    def handle_starttag(self, name, attributes):
        self.names |= {name, *((name, attribute) for attribute, _ in attributes)}
        told = dict(attributes)
        if "data-key" in told:
            self.declared.append(json.loads(f"[{told['data-key']}]"))
        if name == "option":
            self.declared.append(json.loads(told["value"]))
        for attribute in ("class", "style", "data-act", "href", "src"):
            assert "alert" not in (told.get(attribute) or ""), (attribute, told)


def opened(model):
    return getattr(widgets, type(model).__name__)(model)


def names_in(panel):
    return Drawn(panel.html).names


def check(draw, strings=STRINGS):
    """`draw(text)`, a panel, has no more names with a hostile text than with harmless ones."""
    drawn, of_stills = set(), set()
    for text in HARMLESS:
        panel = draw(text)
        drawn |= names_in(panel)
        of_stills |= Drawn(panel.still()).names
    send(panel, "nothing")  # may be drawn beside it, too: why something was refused
    drawn |= names_in(panel)
    of_stills |= Drawn(panel.still()).names
    for place, text in enumerate(strings):
        panel = draw(text)
        assert names_in(panel) <= drawn, (text, names_in(panel) - drawn)
        if place % 4 == 0:
            found = Drawn(panel.still()).names
            assert found <= of_stills, (text, found - of_stills)


def send(panel, action, *arguments):
    panel._perform(None, {"action": action, "arguments": list(arguments)}, None)
    return panel


# --- what a page sends ---------------------------------------------------------------------------


def places():
    """(name of a model, its action, how many arguments, which of them is hostile, with what).

    Each model hears every string; its places share them.
    """
    for name in sorted(widgets.__all__):
        found = [
            (action, most, which)
            for action, (_, most) in actions_of(OPENED[name]()).items()
            for which in range(most)
        ]
        for place, one in enumerate(found):
            yield name, *one, STRINGS[place :: len(found)]


@over("name, action, most, which, strings", places)
def test_no_argument_of_an_action_becomes_html(name, action, most, which, strings):
    panel = opened(OPENED[name]())

    def done_with(text):
        arguments = ["1"] * most
        arguments[which] = text
        return send(panel, action, *arguments)

    check(done_with, strings)


@pytest.mark.parametrize("name", sorted(widgets.__all__))
def test_no_name_of_an_action_becomes_html_or_is_run(name):
    panel = opened(OPENED[name]())
    before = panel.state()

    def done(text):
        send(panel, text, text, {text: [text]})
        assert panel.message.startswith("There is no action")
        return panel

    check(done, STRINGS[::8])
    assert {**panel.state(), "message": None} == {**before, "message": None}


# --- what a learner names ------------------------------------------------------------------------


def called(text, function=lambda x: x * x):
    """A function of this name."""

    def own(x):
        return function(x)

    own.__name__ = text
    return own


def fails(text):
    """A function that raises an error of this name, with this text, at 9."""
    error = type(f"{text}Error".replace("\x00", ""), (Exception,), {})

    def own(x):
        if x.sum() == 9:
            raise error(text)
        return x * x

    return own


class Layer:
    """Has parameters by names that a learner gave."""

    def __init__(self, torch, name):
        self.weight = torch.tensor([2.0, 3.0], requires_grad=True)
        self._name = name

    def named_parameters(self):
        return [(self._name, self.weight)]


def layered(text):
    def own(torch, x):
        layer = Layer(torch, text)
        return x * layer.weight

    return own


def failing(panel):
    assert panel.set_input([4, 5]).message
    return panel


OWN = {
    "UpstreamEditor": lambda text: widgets.UpstreamEditor(called(text), [1, 2]),
    "UpstreamEditor, its error": lambda text: failing(
        widgets.UpstreamEditor(fails(text), [1, 2], edit_input=True)
    ),
    "JacobianPicture": lambda text: widgets.JacobianPicture(called(text), [1, 2]),
    "JacobianPicture, its error": lambda text: failing(
        widgets.JacobianPicture(fails(text), [1, 2])
    ),
    "NudgeMeter": lambda text: widgets.NudgeMeter(called(text), 3),
    "SeamCutter": lambda text: widgets.SeamCutter([called(text[:14]), called(text)], [1, 2]),
    "BackwardStepper": lambda text: widgets.BackwardStepper(called(text), [1, 2]),
    "BackwardStepper, its layer": lambda text: widgets.BackwardStepper(layered(text), [1, 2]),
    "GradLedger": lambda text: widgets.GradLedger(called(text), [1, 2]),
    "GradLedger, its outputs": lambda text: widgets.GradLedger(
        called("f", lambda x: {text: x * x, "sum": x.sum()}), [1, 2]
    ),
    "LeafInspector": lambda text: widgets.LeafInspector(x=[1, 2], **{text: lambda x: x * x}),
}


@pytest.mark.parametrize("name", OWN)
def test_no_name_that_a_learner_gives_becomes_html(name):
    check(OWN[name], STRINGS[::6])


def test_no_text_of_a_card_becomes_html():
    def asked(text):
        choices = {"choices": [text, "other"], "misconceptions": {"other": text}}
        return widgets.PredictCard(text, text, why=text, **choices)

    def answered(text):
        card = asked(text)
        assert card.commit("other").revealed
        return card

    check(asked)
    check(answered)


# --- examples ------------------------------------------------------------------------------------


EXAMPLES = {name: type(OPENED[name]()) for name in widgets.__all__ if name in OPENED}


@pytest.mark.parametrize("name", [n for n, kind in EXAMPLES.items() if getattr(kind, "known", 0)])
@pytest.mark.parametrize("part", ["name", "formula", "note", "output", "input", "row"])
def test_no_text_of_an_example_becomes_html(name, part, monkeypatch):
    kind = EXAMPLES[name]
    first = next(iter(kind.known.values()))

    def loaded(text):
        (name, numbers), *others = first.inputs.items() or [("x", 1.0)]
        inputs = {"inputs": {text: numbers, **dict(others)}}
        example = replace(first, **inputs if part == "input" else {part: text})
        monkeypatch.setattr(kind, "known", {example.name: example, **kind.known})
        return opened(kind(example))

    check(loaded, STRINGS[::16])
