"""%%both: a cell on both engines; what it may read, what is a result, what it leaves behind."""

import math

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import minigrad
from minigrad.classroom import load_ipython_extension
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.both import both
from minigrad.classroom.compare.cells import Cell, expressions
from minigrad.classroom.compare.fingerprint import fingerprint

SQUARE = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * x\n"


def test_the_names_given_are_compared_in_their_order():
    comparison = both("x.grad, y, x.grad[1]", SQUARE + "y.backward(torch.ones(2))", {})
    assert [line.name for line in comparison.lines] == ["x.grad", "y", "x.grad[1]"]
    assert comparison.agrees and comparison["x.grad"].cells()[1] == "[2, 4]"


def test_without_names_the_last_expression_and_what_is_printed_are():
    comparison = both("", SQUARE + "print(y)\ny.sum()", {})
    assert [line.name for line in comparison.lines] == ["y.sum()", "printed"] and comparison.agrees
    assert "nothing to compare" in both("", "x = 1", {}).problem


@pytest.mark.parametrize(
    "line",
    [
        "import torch",
        "import torch.nn as nn",
        "import torch.nn.functional as F",
        "import torch.nn",
        "from torch import nn, optim",
        "from torch.autograd import Variable",
        "import minigrad as torch",
    ],
)
def test_torch_is_the_engine_however_it_is_imported(line):
    comparison = both("t.ones(2), type(t.ones(2)).__name__", line + "\nt = torch", {})
    assert comparison.agrees, comparison


def test_an_import_brings_what_it_names():
    source = (
        "from torch.autograd import Variable\nimport torch.nn.functional as F\nimport math\n"
        "x = Variable(torch.FloatTensor([1, 4]), requires_grad=True)\n"
        "F.mse_loss(x, torch.zeros(2)).backward()"
    )
    comparison = both("x.grad, math.pi", source, {})
    assert comparison.agrees and comparison["x.grad"].cells()[1] == "[1, 4]"


def test_an_error_is_a_result_with_its_line_and_what_was_reached_stays():
    comparison = both("x, x.grad, z", SQUARE + "\ny.backward()\nz = 3", {})
    assert comparison.agrees
    assert comparison["x"].cells()[1] == "[1, 2]" and comparison["x.grad"].cells()[1] == "None"
    assert comparison["z"].cells()[1] == "not reached"
    assert comparison["error in line 5"].minigrad["value"].startswith("grad can be implicitly")
    assert "not reached" in repr(comparison) and "error in line 5" in repr(comparison)


def test_the_line_is_the_cells_own_innermost():
    source = "def f(x):\n    return x @ x\n\nf(torch.ones(2, 3))"
    assert "error in line 3" in [line.name for line in both("", source, {}).lines]


def test_a_syntax_error_is_a_result():
    comparison = both("x", "x = 1\nwhile < 3:\n    pass", {})
    assert comparison.agrees and comparison["x"].cells()[1] == "not reached"
    assert comparison["error in line 3"].minigrad == {
        "kind": "error",
        "type": "SyntaxError",
        "value": "invalid syntax",
    }


def test_an_expression_that_fails_is_a_result():
    comparison = both("x.grad.sum(), nowhere", SQUARE, {})
    assert comparison["x.grad.sum()"].minigrad["type"] == "AttributeError"
    assert comparison["nowhere"].minigrad["type"] == "NameError"


def test_a_warning_is_told_once_by_its_first_sentence_without_a_path():
    comparison = both("y.grad", SQUARE + "y.grad", {})
    assert [line.name for line in comparison.lines] == ["y.grad", "warning"] and comparison.agrees
    told = comparison["warning"].minigrad["value"]
    assert told.endswith("is being accessed.") and "/" not in told


def test_plain_data_numpy_and_modules_of_the_notebook_may_be_read_and_are_not_changed():
    notebook = {"k": 3, "rows": [[1.0], [2.0]], "np": np, "math": math, "v": np.ones(2)}
    source = "rows[0][0] = 5.\nv += 1\nx = torch.tensor(rows) * k + float(np.sum(v)) + math.e"
    assert both("x", source, notebook).agrees
    assert notebook["rows"] == [[1.0], [2.0]] and notebook["v"].tolist() == [1, 1]


@pytest.mark.parametrize("value", [minigrad.ones(2), lambda: 1, [minigrad.ones(1)], object()])
def test_a_tensor_of_another_cell_is_refused_with_a_sentence(value):
    notebook = {"a": value}
    for line, source in (("", "a * 2"), ("a", "x = 1"), ("", "def f():\n    return a\nf()")):
        comparison = both(line, source, notebook)
        assert comparison.problem.startswith("a was made in another cell") and not comparison.lines
    assert notebook == {"a": value}
    assert both("a", "a = torch.ones(2)", dict(notebook)).agrees  # its own a


def test_the_cells_variables_are_the_notebooks_afterwards():
    notebook = {"k": 2, "torch": minigrad}
    source = SQUARE + "import torch.nn as nn\ndef f(): return k\nz = y / 0\n1 / 0\nq = 1"
    both("x", source, notebook)
    assert set(notebook) == {"k", "torch", "x", "y", "nn", "f", "z"}
    assert isinstance(notebook["x"], minigrad.Tensor) and notebook["nn"] is minigrad.nn


def test_what_a_cell_turns_off_does_not_stay():
    both("", "torch.set_grad_enabled(False)\n1", {})
    assert minigrad.is_grad_enabled()


def test_a_class_and_its_module_run():
    source = (
        "class Net(torch.nn.Module):\n    factor = 2.\n    twice = factor * 2\n"
        "    def forward(self, x):\n        return x * self.twice\nNet()(torch.ones(2))"
    )
    assert both("", source, {"factor": minigrad.ones(1)}).agrees


@pytest.mark.parametrize(
    "text, found",
    [
        ("", []),
        ("x", ["x"]),
        ("x.grad, y", ["x.grad", "y"]),
        ("f(a, b), (1, 2)", ["f(a, b)", "(1, 2)"]),
        ("x,", ["x"]),
    ],
)
def test_what_stands_after_both_is_read_as_expressions(text, found):
    assert expressions(text) == found


@pytest.mark.parametrize("text", ["x y", "x =", "x)", "x) + (y"])
def test_what_is_no_expressions_after_both_is_explained(text):
    with pytest.raises(SyntaxError):
        expressions(text)
    assert "stand Python expressions" in both(text, "x = 1", {}).problem


def test_a_fingerprint_knows_the_cell_and_what_it_reads():
    def of(source=SQUARE, names=("y",), **outside):
        return fingerprint(Cell(source, names, outside))

    assert of() == of(unused=3) == of(SQUARE + "\n\n")
    assert (
        len(
            {
                of(),
                of(SQUARE + "z = 1"),
                of(names=("x",)),
                of(SQUARE + "k", k=1),
                of(SQUARE + "k", k=2),
                of(SQUARE + "k", k=np.ones(2)),
            }
        )
        == 6
    )


def test_without_torch_the_recorded_answer_is_shown_or_a_sentence(monkeypatch, no_torch):
    comparison = both("y", SQUARE, {})
    assert "not recorded" in comparison.problem and comparison["y"].cells()[2] == "not recorded"
    key = f"compare {fingerprint(Cell(SQUARE, ['y'], first_line=2))}"
    answer = {"y": {"kind": "tensor", "dtype": "float32", "shape": [2], "values": [1.0, 4.0]}}
    monkeypatch.setattr(recorded, "_load", lambda: ("2.13.0", {key: answer}))
    comparison = both("y", SQUARE, {})
    assert comparison.agrees and comparison.label == "PyTorch 2.13.0 (stored)"


def test_in_a_notebook_it_is_a_magic():
    shell = InteractiveShell()
    load_ipython_extension(shell)
    result = shell.run_cell(f"%%both x.grad\n{SQUARE}y.backward(torch.ones(2))").result
    assert result.agrees and shell.user_ns["y"].tolist() == [1, 4]
    verdict = shell.run_cell("%%mend 03-1\nown = 1").result
    assert 'check("03-1", v)' in verdict.lines[0] and "own" not in shell.user_ns


def test_the_html_breaks_long_words_and_keeps_numbers_whole():
    html = both("y", SQUARE + "raise ValueError('x' * 400)", {})._repr_html_()
    assert "overflow-x: auto" in html and "overflow-wrap: anywhere" in html
    assert html.count('<th scope="col"') == 4 and "PyTorch 2.13.0" in html
    assert 'min-width: min(13ch, 16vw)">the same text<' in html
