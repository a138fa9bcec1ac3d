"""compare(program): every kind of result, agreeing and not; errors, warnings, missing torch."""

import html
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from minigrad.classroom import compare
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.fingerprint import fingerprint
from minigrad.classroom.compare.results import record
from minigrad.classroom.show.formatting import WIDTH


def on_each(ours, theirs):
    """A program that returns another result on each engine, to see a difference reported."""

    def program(torch):
        return {"result": (ours if torch.__name__ == "minigrad" else theirs)(torch)}

    return program


def document_example(torch):
    a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    out = a * a
    out.backward(a)
    return {"out": out, "a.grad": a.grad}


def test_one_line_for_each_result():
    comparison = compare(document_example)
    assert comparison.agrees
    assert [line.name for line in comparison.lines] == ["out", "a.grad"]
    assert comparison["a.grad"].cells() == (
        "a.grad",
        "[[2, 8, 18], [32, 50, 72]]",
        "[[2, 8, 18], [32, 50, 72]]",
        "0",
        "=",
    )
    assert "PyTorch 2.13.0" in repr(comparison)


def test_every_kind_of_result_can_agree():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        return {
            "tensor": x * 2,
            "double": x.double(),
            "whole": torch.tensor([1, 2]),
            "flag": x > 1,
            "scalar": torch.tensor(3.0),
            "empty": torch.tensor([]),
            "none": x.grad,
            "int": 3,
            "float": x.sum().item(),
            "bool": x.requires_grad,
            "text": "abc",
            "size": x.shape,
            "dtype": x.dtype,
            "tuple": (x, None),
            "list": [x.detach(), 1],
            "dict": {"x": x},
            "array": np.array([1.0, 2.0]),
            "nan": x.detach() * float("nan"),
            "inf": x.detach() / 0,
            "error": ValueError("kept"),
            "node": (x * x).grad_fn,
        }

    comparison = compare(program)
    assert comparison.agrees, comparison


@pytest.mark.parametrize(
    "ours, theirs, says",
    [
        (lambda t: t.tensor([1.0]), lambda t: t.tensor([1.1]), "0.1"),
        (lambda t: t.tensor([1.0]), lambda t: t.tensor([[1.0]]), "shape"),
        (lambda t: t.tensor([1.0]), lambda t: t.tensor([1.0], dtype=t.float64), "dtype"),
        (lambda t: t.tensor([1]), lambda t: t.tensor([2]), "1"),
        (lambda t: t.tensor(1.0), lambda t: 1.0, "type"),
        (lambda t: None, lambda t: t.tensor(1.0), "type"),
        (lambda t: 1, lambda t: 1.0, "type"),
        (lambda t: 1, lambda t: True, "type"),
        (lambda t: "a", lambda t: "b", "text"),
        (lambda t: (1, 2), lambda t: [1, 2], "type"),
        (lambda t: (1, 2), lambda t: (1, 2, 3), "length"),
        (lambda t: {"a": 1}, lambda t: {"b": 1}, "names"),
        (lambda t: [t.tensor([1.0])], lambda t: [t.tensor([5.0])], "4"),
        (lambda t: ValueError("a"), lambda t: TypeError("a"), "type"),
        (lambda t: ValueError("a"), lambda t: ValueError("b"), "text"),
        (lambda t: t.tensor([float("nan")]), lambda t: t.tensor([0.0]), "inf"),
    ],
)
def test_every_kind_of_difference_is_shown(ours, theirs, says):
    comparison = compare(on_each(ours, theirs))
    assert not comparison.agrees
    assert comparison["result"].difference == says
    assert comparison["result"].cells()[4] == "\u2260"
    assert "\u2260" in repr(comparison) and "\u2260" in comparison._repr_html_()


def test_a_difference_of_dtype_is_written_out():
    comparison = compare(on_each(lambda t: t.tensor([1.0]), lambda t: t.tensor([1.0]).double()))
    assert comparison["result"].cells()[1:3] == ("[1] float32", "[1] float64")


def test_a_result_missing_on_one_side():
    def program(torch):
        return {"both": 1, **({"ours": 1} if torch.__name__ == "minigrad" else {"theirs": 2})}

    comparison = compare(program)
    assert comparison["ours"].cells() == ("ours", "1", "no such result", "missing", "\u2260")
    assert comparison["theirs"].cells() == ("theirs", "no such result", "2", "missing", "\u2260")


def test_errors_are_results():
    def program(torch):
        x = torch.ones(3, requires_grad=True)
        (x * 2).backward()
        return {"x.grad": x.grad}

    comparison = compare(program)
    assert comparison.agrees
    line = comparison["error"]
    assert line.minigrad == {
        "kind": "error",
        "type": "RuntimeError",
        "value": "grad can be implicitly created only for scalar outputs",
    }


def test_an_error_on_one_engine_only():
    def program(torch):
        if torch.__name__ == "minigrad":
            raise KeyError("only here")
        return {"x": 1}

    comparison = compare(program)
    assert not comparison.agrees
    assert comparison["error"].difference == comparison["x"].difference == "missing"


def test_warnings_and_printed_lines_are_results():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        print("y.grad is", y.grad)
        return {"y": y}

    comparison = compare(program)
    assert comparison.agrees, comparison
    assert comparison["printed"].minigrad["value"] == "y.grad is None"
    warning = comparison["warning"].minigrad
    assert warning["type"] == "UserWarning"
    assert warning["value"].startswith("The .grad attribute of a Tensor that is not a leaf Tensor")


def test_a_program_that_only_prints_needs_no_dict(capsys):
    comparison = compare(lambda torch: print(torch.ones(2)))
    assert comparison.agrees and comparison["printed"].minigrad["value"] == "tensor([1., 1.])"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "program, says",
    [
        (lambda torch: None, "returned nothing"),
        (lambda torch: torch.ones(1), "type Tensor"),
        (lambda torch: [1], "type list"),
        (lambda: {}, "with one argument"),
        (lambda torch, x: {}, "with one argument"),
        (3, "type int"),
        (None, "type NoneType"),
        ("program", "type str"),
    ],
)
def test_what_is_no_program_is_explained(program, says):
    comparison = compare(program)
    assert not comparison.agrees and says in comparison.problem
    assert says in repr(comparison).replace("\n", " ") and says in comparison._repr_html_()


def test_text_fits_its_columns_and_is_the_same_every_time():
    def program(torch):
        x = torch.arange(40.0).reshape(4, 10) / 7
        return {
            "a long name of a result, longer than its column": x,
            "many": torch.zeros(100, 100),
            "text": "word " * 60,
            "unbroken": "x" * 300,
        }

    text = repr(compare(program))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text == repr(compare(program))
    assert "\u2026] of shape" in text


def test_html_shows_text_and_runs_none_of_it():
    html = compare(lambda torch: {"<script>": "<b>&"})._repr_html_()
    assert "&lt;script&gt;" in html and "<script" not in html and "&lt;b&gt;&amp;" in html


def test_a_program_may_compare_inside_itself():
    assert compare(lambda torch: {"inner": compare(document_example).agrees}).agrees


# --- without torch -------------------------------------------------------------------------------

LIMIT = 3


def helper(torch):
    return torch.ones(LIMIT)


def uses_a_helper(torch):
    return {"ones": helper(torch)}


def test_without_torch_the_recorded_answer_is_shown_with_its_version(no_torch, monkeypatch):
    results = {
        "a.grad": {
            "kind": "tensor",
            "dtype": "float32",
            "shape": [2, 3],
            "values": [2.0, 8.0, 18.0, 32.0, 50.0, 72.0],
        },
        "out": record(None),
    }
    answers = {f"compare {fingerprint(document_example)}": results}
    monkeypatch.setattr(recorded, "_load", lambda: ("2.13.0", answers))
    comparison = compare(document_example)
    assert comparison.label == "PyTorch 2.13.0 (stored)"
    assert comparison["a.grad"].agrees and not comparison["out"].agrees


def test_without_torch_an_unrecorded_program_says_so(no_torch):
    comparison = compare(document_example)
    assert "not installed here" in comparison.problem and "not recorded" in comparison.problem
    assert comparison._repr_html_().endswith(f"<p>{html.escape(comparison.problem)}</p>")
    assert comparison["a.grad"].cells()[1:3] == ("[[2, 8, 18], [32, 50, 72]]", "not recorded")


def test_without_torch_any_result_can_be_shown(no_torch):
    comparison = compare(lambda torch: {"a": 1, "b": [], "c": None, "d": ValueError("e")})
    assert "not recorded" in repr(comparison) and "<table" in comparison._repr_html_()


def test_a_damaged_torch_counts_as_none(monkeypatch):
    from minigrad.classroom.compare import engines

    class Broken:
        def find_spec(self, name, path=None, target=None):
            if name == "torch":
                raise OSError("a library is missing")

    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken()])
    monkeypatch.setattr(engines, "_warm", False)
    monkeypatch.setattr(engines, "torch_installed", lambda: True)
    try:
        assert engines.torch_now() is None
    finally:
        engines._broken = False


def test_a_fingerprint_knows_the_program_and_what_it_reads(monkeypatch):
    assert fingerprint(document_example) == fingerprint(document_example)
    assert fingerprint(document_example) != fingerprint(uses_a_helper)
    before = fingerprint(uses_a_helper)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert fingerprint(uses_a_helper) != before
    monkeypatch.setitem(globals(), "LIMIT", object())
    assert fingerprint(uses_a_helper) is None
    assert fingerprint(len) is None


def test_torch_is_imported_only_by_a_comparison():
    code = textwrap.dedent("""
        import sys
        import minigrad.classroom
        from minigrad.classroom import check, compare, hint
        assert "torch" not in sys.modules and "ipywidgets" not in sys.modules
        check("03-1", [1.0]); hint("03-1")
        from minigrad.classroom import widgets, predict
        predict("?", 1)
        predict("03-a")
        assert "torch" not in sys.modules
        compare(lambda torch: {"x": 1})
        assert "torch" in sys.modules
    """)
    subprocess.run([sys.executable, "-c", code], check=True)
