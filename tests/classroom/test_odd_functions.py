"""Functions as learners really write them: each widget that takes one shows it or says why not."""

import functools
import subprocess
import sys
import textwrap
import warnings

import pytest
import torch

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.show.typed_numbers import Refused
from tests.cases import over

POINT = [1.0, 2.0, 3.0]
WIDGETS = {
    "editor": lambda f: widgets.UpstreamEditor(f, POINT),
    "picture": lambda f: widgets.JacobianPicture(f, POINT),
    "stepper": lambda f: widgets.BackwardStepper(f, POINT),
    "cutter": lambda f: widgets.SeamCutter([f, lambda y: 3 * y], POINT),
    "ledger": lambda f: widgets.GradLedger(f, POINT),
    "inspector": lambda f: widgets.LeafInspector(x=POINT, y=f),
    "meter": lambda f: widgets.NudgeMeter(f, 2),
}


def said(make, function):
    """What a widget says of a function that it cannot show: a sentence of refusal or an error."""
    try:
        model = make(function).model
    except Refused as refusal:
        assert "\n\n" not in str(refusal)
        return str(refusal)
    return model.message or getattr(model, "error", None) or ""


each_widget = pytest.mark.parametrize("make", WIDGETS.values(), ids=WIDGETS)
at_a_point = pytest.mark.parametrize(
    "make", [WIDGETS[name] for name in ("editor", "picture", "cutter", "meter")]
)


class Square:
    def __call__(self, x):
        return x * x


def made_inside(factor):
    def inner(x):
        return factor * x * x

    return inner


def changes_its_own(x):
    y = x * 1
    y.mul_(2)
    return y


def changes_a_part(x):
    y = (x * x).reshape(-1)
    y[0] = 7
    return y * y


def carré_d_un_nombre_dont_le_nom_ne_finit_jamais_et_jamais_et_encore(x):
    return x * x


def without_recording(x):
    with minigrad.no_grad():
        return x * x


def calls_itself(x):
    return calls_itself(x)


SHOWN = {
    "default argument": lambda x, k=3: x * k,
    "nested": made_inside(2.0),
    "partial": functools.partial(lambda k, x: k * x * x, 2.0),
    "partial by name": functools.partial(lambda x, k: k * x * x, k=2.0),
    "object": Square(),
    "module": minigrad.nn.Tanh(),
    "torch's name": lambda torch, x: torch.exp(x),
    "engine's name": minigrad.exp,
    "built in": abs,
    "own in place": changes_its_own,
    "part in place": changes_a_part,
    "name": carré_d_un_nombre_dont_le_nom_ne_finit_jamais_et_jamais_et_encore,
    "identity": lambda x: x,
    "scalar": lambda x: x.sum(),
    "tiny": lambda x: x * 1e-30,
}
ODD = {
    "any number": lambda *tensors: tensors[0] * 2,
    "number": lambda x: 3.0,
    "item": lambda x: x.sum().item(),
    "pair": lambda x: (x, x),
    "list": lambda x: [x, x],
    "nothing": lambda x: None,
    "integers": lambda x: x.long(),
    "truths": lambda x: x > 1,
    "no graph": lambda x: x.detach() * 2,
    "not recorded": without_recording,
    "leaf in place": lambda x: x.mul_(2),
    "array": lambda x: x.detach().numpy(),
    "nan": lambda x: x * float("nan"),
    "inf": lambda x: x / 0,
    "overflow": lambda x: (x * 1000).exp(),
    "outside": lambda x: (x - 2).sqrt(),
    "empty": lambda x: x.reshape(-1)[:0],
    "many": lambda x: x.reshape(1, -1).expand(1000, -1),
    "three dimensions": lambda x: x.reshape(1, 1, -1) * x.reshape(1, -1, 1),
    "raises": lambda x: 1 / 0,
    "endless": calls_itself,
    "torch's module": torch.nn.Tanh(),
    "torch itself": lambda x: torch.log(x),
    "complex": lambda x: x * 1j,
}


@each_widget
@over("name", SHOWN)
def test_an_unusual_function_is_shown(make, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        view = make(SHOWN[name])
        assert view.model.message is None and getattr(view.model, "error", None) is None
        assert "your " in repr(view.model) and view.still()


@each_widget
@over("name", ODD)
def test_what_cannot_be_shown_is_said_in_a_sentence_and_nothing_warns(make, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(said(make, ODD[name])) > 20 or make(ODD[name]).still()


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: None, "returned nothing; it must return one tensor. Does it end with return?"),
        (lambda x: 3, "returned an int; it must"),
        (lambda x: 3.0, "returned a float; it must"),
        (lambda x: [x], "torch.stack"),
    ],
)
def test_what_a_function_returned_is_named(function, says):
    assert says in said(WIDGETS["editor"], function)


@at_a_point
def test_a_function_that_gives_another_result_each_time_is_refused(make):
    """What belongs to different calls would be shown as one: sums that do not add up."""
    called = []
    assert "another result each time" in said(make, lambda x: called.append(1) or x * len(called))
    assert "manual_seed" in said(make, lambda torch, x: x * torch.rand(()))

    def seeded(torch, x):
        torch.manual_seed(0)
        return x * torch.rand(())

    assert said(make, seeded) == ""


@at_a_point
def test_a_function_that_calls_backward_itself_is_refused(make):
    def goes_back(x):
        y = x * x
        if y.requires_grad:
            y.sum().backward(retain_graph=True)
        return y

    assert "calls backward itself" in said(make, goes_back)


@at_a_point
def test_the_learners_own_tensors_are_left_alone(make):
    weight = minigrad.tensor(2.0, requires_grad=True)
    scale = weight.exp()  # its graph is needed again later
    view = make(lambda x: x * scale)
    view._repr_mimebundle_()
    assert view.message is None and weight.grad is None
    scale.backward()
    assert weight.grad.item() == pytest.approx(scale.item())


@each_widget
@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.log(x),
        lambda x: x * torch.ones(3),
        lambda x: torch.ones(3) * x,
        lambda x: torch.stack([x, x]),
        torch.nn.Tanh(),
    ],
)
def test_a_function_that_mixes_the_engines_is_told_how_to_take_torch(make, function):
    assert "lambda torch, x: torch.log(x)" in said(make, function)


@each_widget
@pytest.mark.parametrize(
    "function, says",
    [
        (lambda torch, x: torch.special.i0e(x), "There is no torch.special"),
        (lambda torch, x: x.cumprod(0), "Tensor has no attribute 'cumprod'"),
        (lambda torch, x: torch.nn.LSTM(3, 3)(x), "There is no torch.nn.LSTM"),
    ],
)
def test_a_name_that_the_small_engine_does_not_have_is_refused_in_its_words(make, function, says):
    sentence = f"{says} in minigrad, which is a small engine for these lessons"
    assert sentence in said(make, function)


@each_widget
def test_what_a_function_prints_is_printed_once(make, capsys):
    view = make(lambda x: print("here") or x * x)
    view._repr_mimebundle_()
    repr(view.model)
    assert capsys.readouterr().out == "here\n"


def test_a_module_is_called_with_the_names_of_its_forward():
    layer = minigrad.nn.Linear(3, 2)
    assert "input.grad" in repr(widgets.BackwardStepper(layer, POINT))
    assert "input.grad" in repr(widgets.GradLedger(layer, POINT))
    assert "y = f(x)" in repr(widgets.LeafInspector(x=POINT, y=layer).model)


def test_a_part_changed_in_place_is_kept_by_the_graph_and_freed_once():
    ledger = widgets.GradLedger(changes_a_part, POINT)
    kept = {node.name: [value.state for value in node.kept] for node in ledger.model.nodes}
    assert kept["CopySlices"] == [] and kept["MulBackward0"] == ["kept", "kept"]
    ledger.backward()
    assert ledger.model.error is None
    ledger.backward()
    assert "second time" in ledger.model.error


def test_a_single_step_is_no_steps():
    assert ", 1 step to" in repr(widgets.BackwardStepper(lambda x: x, POINT))


def test_inside_a_container_the_column_of_pytorch_is_filled_too():
    """In a process of its own, where torch is not imported yet, as in a learner's kernel."""
    code = textwrap.dedent("""
        import asyncio, sys
        import ipywidgets
        from minigrad.classroom import widgets

        async def main():
            editor = widgets.UpstreamEditor(lambda x: x * x, [1, 2])
            ipywidgets.Tab([editor])._repr_mimebundle_()
            assert "torch" not in sys.modules
            while ", live" not in editor.html:
                await asyncio.sleep(0.01)

        asyncio.run(asyncio.wait_for(main(), 120))
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["ledger", "inspector", "editor", "stepper", "cutter", "meter"])
def test_that_pytorch_could_not_run_a_function_is_not_told_as_a_difference(name):
    view = WIDGETS[name](lambda x: minigrad.exp(x))
    text = " ".join(repr(view.model).split())
    assert "PyTorch could not run this." in text and "lambda torch, x: torch.log(x)" in text
    assert "\u2260" not in text and "differs" not in text
