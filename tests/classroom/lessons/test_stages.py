"""The engine that learners write: its reference does what minigrad does, stage by stage, and the
learner's own stages take the reference's place as they pass.
"""

import numpy as np
import pytest

import minigrad
from minigrad.classroom import check, pictures
from minigrad.classroom.digits import digits
from minigrad.classroom.lessons import l13, mend_cell, stages

STAGES = {stage.name: stage for stage in l13.EXERCISES}


@pytest.fixture(autouse=True)
def nothing_is_solved(monkeypatch):
    monkeypatch.setattr(stages, "OWN", {})


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


@pytest.mark.parametrize("shapes", [((3, 3), (3, 3)), ((3, 3), (3,)), ((1, 3), (3, 1)), ((), (3,))])
@pytest.mark.parametrize("name", PROGRAMS)
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


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3,), (2, 3)])
@pytest.mark.parametrize("v", [None, (), (1,), (3,), (6,), (2, 3), (3, 2)])
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
    assert verdict.passed and verdict.lines[-1] == "The cells below run on your own stage 13-1."
    assert notebook["Value"](3).mine
    verdict = mend_cell("13-2", "1 / 0", notebook)
    assert verdict.lines[0].startswith("For a = [1, 2]")
    assert verdict.lines[1] == "Your cell stops in line 2: ZeroDivisionError: division by zero"
    assert "your own stage 13-1, and on the reference stage 13-2" in verdict.lines[-1]
    assert (notebook["Value"](3) * 2).mine
    mend_cell("13-1", "class Value: pass", notebook)
    assert stages.OWN == {}


def test_a_whole_engine_of_ones_own_is_shown():
    assert "Value" not in repr(l13.engine()) and "63 lines" in repr(l13.engine())
    for name, stage in STAGES.items():
        assert mend_cell(name, f"{stage.solution}\n# mine", {}).passed
    made = l13.engine()
    assert made.whose == "The cells below run on your own stages 13-1 to 13-6."
    assert made.lines == 63 and made.text.count("# mine") == 6 and "class Value" in repr(made)
    assert made.text.count("def shares") == 1  # stage 5 replaces that of stage 3


def test_stages_that_pass_alone_and_not_together_give_way_to_the_reference():
    tricky = STAGES["13-2"].solution.replace("a.data + b.data", "a.data + b.data + surprise")
    assert mend_cell("13-2", "surprise = 0\n" + tricky, {}).passed
    stages.OWN["13-2"] = tricky  # its first line is lost
    verdict = mend_cell("13-4", STAGES["13-4"].solution, {})
    assert verdict.passed and "reference stages 13-1 to 13-4" in verdict.lines[-1]


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


def test_beside_minigrad():
    def twice(torch):
        x = torch.tensor(3.0, requires_grad=True)
        out = x * x
        out.backward(), out.backward()
        return x.grad

    def once(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).backward(torch.tensor([1.0, 10.0]))
        return x.grad

    table = l13.beside(once, twice)
    assert table["once"].agrees and not table["twice"].agrees
    assert "the reference engine" in repr(table)


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
    with pytest.raises(ValueError, match="alt"):
        pictures.tiles(images, "abc", alt=" ")
