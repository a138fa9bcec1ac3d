"""The engine that learners write: its reference does what minigrad does, stage by stage, and the
learner's own stages take the reference's place as they pass.
"""

import json
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest

import minigrad
from minigrad.classroom import check, lessons, progress
from minigrad.classroom.lessons import l13, mend_cell, stages
from minigrad.classroom.lessons.digits import digits
from minigrad.classroom.lessons.progress import VARIABLE, kept_parts
from minigrad.classroom.show import pictures
from tests.cases import over
from tools.files import ROOT
from tools.notebooks import all_notebooks

STAGES = {stage.name: stage for stage in l13.EXERCISES}


@pytest.fixture(autouse=True)
def nothing_is_solved(monkeypatch):
    monkeypatch.setattr(stages, "OWN", {})
    monkeypatch.setattr(lessons, "_LAST", {})


def value():
    return l13.engine().space["Value"]


# --- the reference is right, not just agreed on with itself ---------------------------------------

PROGRAMS = {
    "a sum of products": lambda x, y: x * y + y * 3 + 2 + x * x,
    "minus, powers": lambda x, y: (x - y) ** 3 - y**2,
    "functions of one number": lambda x, y: (x * 0.5).exp() + (y * y + 1).log() * x.tanh(),
    "twice used": lambda x, y: (lambda b: b * b * b + b)(x * y + x),
    "matrices": lambda x, y: (x @ (y * 0.5)).tanh() @ x,
    "sums and means": lambda x, y: (x * y).sum() * x.mean() + (x - y).mean(),
}


@over("shapes", [((3, 3), (3, 3)), ((3, 3), (3,)), ((1, 3), (3, 1)), ((), (3,))])
@over("name", PROGRAMS)
def test_the_reference_gives_minigrads_gradients(name, shapes):
    if name == "matrices":
        shapes = ((3, 3), (3, 3))
    rng = np.random.RandomState(1)
    numbers = [rng.uniform(-1, 1, shape) for shape in shapes]
    ours = [minigrad.tensor(n, dtype=minigrad.float64, requires_grad=True) for n in numbers]
    theirs = list(map(value(), numbers))
    out, other = PROGRAMS[name](*ours), PROGRAMS[name](*theirs)
    assert np.allclose(out.tolist(), other.data)
    v = rng.uniform(-1, 1, tuple(out.shape))
    for _ in range(2):
        out.backward(minigrad.tensor(v, dtype=minigrad.float64), retain_graph=True)
        other.backward(v)
    for mine, their in zip(ours, theirs):
        assert tuple(mine.shape) == their.grad.shape and np.allclose(mine.grad.tolist(), their.grad)


@over("shape", [(), (1,), (1, 1), (3,), (2, 3)])
@over("v", [None, (), (1,), (3,), (6,), (2, 3), (3, 2)])
def test_the_reference_refuses_in_minigrads_words(shape, v):
    def outcome(make, weights):
        try:
            make(np.ones(shape)).backward(weights)
        except RuntimeError as error:
            return str(error)

    tensor = lambda data: minigrad.tensor(data.tolist(), requires_grad=True)  # noqa: E731
    ours = outcome(tensor, None if v is None else minigrad.ones(*v))
    assert outcome(value(), None if v is None else np.ones(v)) == ours


# --- the learner's own stages ---------------------------------------------------------------------


def test_a_stage_that_passes_takes_the_references_place():
    notebook = {}
    text = STAGES["13-1"].solution + "\n        self.mine = True"
    verdict = mend_cell("13-1", text, notebook)
    assert verdict.passed and verdict.lines[-1] == "The cells below use your own part 13-1."
    assert notebook["Value"](3).mine
    verdict = mend_cell("13-2", "1 / 0", notebook)
    assert verdict.lines[0].startswith("For a = [1, 2]")
    assert verdict.lines[1] == "Your cell stops in line 2: ZeroDivisionError: division by zero"
    assert "your own part 13-1, and the reference part 13-2" in verdict.lines[-1]
    assert (notebook["Value"](3) * 2).mine


def test_a_whole_engine_of_ones_own_is_shown():
    assert "Value" not in repr(l13.engine()) and "63 lines" in repr(l13.engine())
    for name, stage in STAGES.items():
        assert mend_cell(name, f"{stage.solution}\n# mine", {}).passed
    made = l13.engine()
    assert made.whose == "The cells below use your own parts 13-1 to 13-6."
    assert made.lines == 63 and made.text.count("# mine") == 6 and "class Value" in repr(made)
    assert made.text.count("def shares") == 1  # stage 5 replaces that of stage 3


def test_a_stage_that_passes_alone_and_not_with_the_others_is_named_and_gives_way():
    head = "class Value:\n"
    slots = '    __slots__ = ("data", "parents", "rule", "grad")\n'
    assert mend_cell("13-1", STAGES["13-1"].solution.replace(head, head + slots), {}).passed
    marks = STAGES["13-4"].solution.replace(
        "found.append(value)", "value.seen = found.append(value)"
    )
    verdict = mend_cell("13-4", marks, {})  # its mark finds no place in such a value
    assert verdict.passed and "your own part 13-4, and the reference" in verdict.lines[-1]
    assert "your part 13-1 will not work together with the others" in verdict.lines[-1]


def test_what_a_learner_prints_is_shown_and_errors_name_no_place_in_memory(capsys):
    text = STAGES["13-4"].solution.replace("reversed(order(out, []))", "order(out, [])")
    verdict = mend_cell("13-4", text + "\nprint('here')", {})
    assert capsys.readouterr().out == "here\n"
    assert "in line 12: KeyError: '<Value object>'" in verdict.lines[1]


def test_what_is_wrong_with_a_refusal_is_told():
    text = STAGES["13-3"].solution.replace("scalar outputs", "numbers")
    assert "outputs" in check("13-3", text).lines[1].split("; it should be RuntimeError: ")[1]
    text = STAGES["13-3"].solution.replace("raise mismatch", "return mismatch")
    told = check("13-3", text).lines[1]
    assert "there is no error; it should be RuntimeError: Mis" in told and told.endswith("([3]).")


def test_a_line_that_is_no_python_is_told_as_the_editor_counts():
    assert check("13-1", "x = 1\ny = (").lines[1] == (
        "Your cell stops in line 3: SyntaxError: '(' was never closed"
    )


def test_a_stage_is_written_in_a_cell():
    assert "begin a cell with %%stage 13-2" in repr(check("13-2"))
    assert check("13-2", STAGES["13-2"].solution).passed


def test_the_whole_engine_that_is_shown_is_the_reference():
    shown = repr(l13.whole())
    assert shown.startswith("The engine has 63 lines.") and "def unbroadcast" in shown
    assert mend_cell("13-4", f"{STAGES['13-4'].solution}\n# mine", {}).passed
    assert repr(l13.whole()) == shown


# --- a part is kept, for lesson 13 and another day ------------------------------------------------


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Where parts are kept, beside what is solved."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "mine.json"))
    return tmp_path / "new" / "mine-engine.json"


def own(name):
    return f"{STAGES[name].solution}\n# mine"


def test_a_part_is_kept_and_found_another_day(file):
    verdict = mend_cell("13-3", own("13-3"), {})
    told = "The cells below use your own part 13-3, and the reference parts 13-1 and 13-2."
    assert verdict.passed and verdict.lines[1:] == [told]
    assert stages.OWN == {} and json.loads(file.read_text())["parts"]["13-3"]["text"] == own("13-3")
    assert sorted(one.name for one in file.parent.iterdir()) == ["mine-engine.json", "mine.json"]
    assert str(file) in repr(progress())
    verdict = mend_cell("13-3", STAGES["13-3"].program, {})
    assert verdict.passed and "# mine" in repr(verdict) and "# mine" in verdict._repr_html_()
    assert verdict.lines == ["Your part 13-3 is kept and used.", told]
    assert l13.engine().own["13-3"] == own("13-3")


def test_another_process_finds_it(file):
    mend_cell("13-5", own("13-5"), {})
    program = "from minigrad.classroom.lessons import l13; print(l13.engine().text)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.count("# mine") == 1, run.stderr


def test_neither_a_stub_run_again_nor_a_mistake_takes_a_good_part_away(file):
    mend_cell("13-2", own("13-2"), {})
    verdict = mend_cell("13-2", STAGES["13-2"].program + "\n\n", {})
    assert verdict.passed and verdict.lines[0] == "Your part 13-2 is kept and used."
    verdict = mend_cell("13-2", "1 / 0", {})
    assert not verdict.passed
    assert "Your part that passed before is still kept." in verdict.lines
    assert "# mine" in l13.engine().text
    better = own("13-2").replace("# mine", "# better")
    assert mend_cell("13-2", better, {}).passed
    assert l13.engine().own == {"13-2": better}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", '{"parts": 3}', '{"parts": {"13-1": 3}}', "\0"]
    + [
        json.dumps({"parts": {"13-1": {"text": text, "lesson": "13"}}})
        for text in (3, "class Value: pass", "x = (", "raise SystemExit")
    ],
)
def test_a_damaged_file_holds_no_part_and_is_mended(file, text):
    file.parent.mkdir()
    file.write_text(text)
    assert l13.engine().own == {}
    mend_cell("13-4", own("13-4"), {})
    assert list(l13.engine().own) == ["13-4"]


@pytest.mark.parametrize("place", ["", "{}/file/below", "/"])
def test_where_nothing_can_be_kept_no_lesson_stops(place, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, place.format(tmp_path))
    verdict = mend_cell("13-3", own("13-3"), {})
    assert verdict.passed
    assert kept_parts() == {} and [path.name for path in tmp_path.iterdir()] == ["file"]
    verdict = mend_cell("13-3", own("13-3"), {})  # until the kernel stops
    assert verdict.passed and verdict.lines[-1].startswith("The cells below use your own part")


def test_what_the_lesson_hands_out_is_known_as_such():
    """So a cell that nobody has changed finds the part that passed another day."""
    found = []
    for path in all_notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            if match := re.match(r"%%stage (13-\d)\n", cell.source):
                assert STAGES[match[1]].is_as_handed_out(cell.source[match.end() :]), cell.id
                found.append((path.stem[:2], match[1]))
    assert found == [("13", name) for name in STAGES]


# --- digits ---------------------------------------------------------------------------------------


def test_the_digits():
    train, test = digits()
    assert train.pixels.shape == (1297, 64) and test.pixels.shape == (500, 64)
    pixels, names = (np.concatenate(pair) for pair in zip(train, test))
    assert np.bincount(names).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert pixels.min() == 0 and pixels.max() == 1 and (pixels * 16).sum() == 561718


def test_tiles_are_the_same_on_every_call_and_need_words():
    images = digits()[1].pixels[:3].reshape(-1, 8, 8)
    first, second = (pictures.tiles(images, ["1 as 7", "<", "c"], alt="Three.") for _ in "12")
    assert first.svg == second.svg and "&lt;" in first.svg and first.svg.count("<text") == 3
    assert "1 as 7, <, c" in repr(first)
    below = pictures.tiles([-np.eye(2)], ["against"], alt="Two parameters below zero.")
    assert 'd="M0 7h28v14H0z' in below.svg and "#c85200" in below.svg  # by form, and by colour
    with pytest.raises(ValueError, match="alt"):
        pictures.tiles(images, "abc", alt=" ")
