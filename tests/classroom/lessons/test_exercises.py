"""Every exercise of every lesson: its solution passes, on both engines; each mistake is rejected
with its own sentence, odd right answers are accepted, and junk gets a sentence. Nothing is listed
here: an exercise is tested by being in a lesson.
"""

import dataclasses
import random
from decimal import Decimal

import nbformat
import numpy as np
import pytest
import torch as pytorch  # `torch` is the engine of a program

import minigrad
from minigrad.classroom import check, hint, solution
from minigrad.classroom.lessons import every_lesson, exercises, mend_cell
from minigrad.classroom.lessons.exercises import Function, Numbers, function, numbers
from minigrad.classroom.lessons.mend import Mend, mend
from minigrad.classroom.lessons.stages import Stage
from minigrad.classroom.lessons.verdict import is_tensor, same
from tests.cases import over
from tools.notebooks import all_notebooks

# Three that are made for the tests, one of a kind, besides those of the lessons.

SMALL = numbers(
    "99-1",
    answer="n",
    solution="n = 3",
    praise="Three.",
    hints=("Count.",),
    also_right=("3.0",),
    mistakes={"4": "You counted one too many.", "2": "You counted too few.", "[3]": "One number."},
)

NUDGE = function(
    "99-2",
    answer="nudge",
    inputs=lambda torch: {"x\u00b2": (lambda x: x * x, 3.0), "x\u00b3": (lambda x: x**3, 2.0)},
    solution="""
        def nudge(f, x):
            return (f(x + 1e-4) - f(x - 1e-4)) / 2e-4
    """,
    praise="From both sides.",
    hints=("Move x.",),
    also_right=("def nudge(f, x):\n    h = 1e-5\n    return (f(x + h) - f(x - h)) / (2 * h)",),
    mistakes={
        ("f(x - 1e-4)) / 2e-4", "f(x)) / 1e-1"): "Divide by what you moved.",
        (" / 2e-4", ""): "Divide by the step.",
        ("return ", ""): "End with return.",
    },
)

PATIENT = mend(
    "99-3",
    program="""
        x = torch.tensor([1., 2.], requires_grad=True)
        loss = x * x
        loss.backward()
    """,
    repair=("x * x", "(x * x).sum()"),
    compares="x.grad",
    others={"With x = [3, 4]:": ("[1., 2.]", "[3., 4.]")},
    forbids={"retain_graph": "It can be done without retain_graph."},
    praise="One number at the end.",
    hints=("A loss is one number.",),
    also_right=(("loss.backward()", "loss.backward(torch.ones(2))"), ("x * x", "(x @ x)")),
    mistakes={
        (): "The loss has two numbers.",
        ("x * x", "(x * x).mean()"): "A mean is a sum with smaller weights.",
        ("x * x", "x.sum()"): "The square was lost.",
        (
            "x * x",
            "(x * x).sum()",
            "backward()",
            "backward(retain_graph=True)",
        ): "It can be done without retain_graph.",
        ("loss.backward()", "x.grad = torch.tensor([2., 4.])"): "Those are the numbers for one x.",
    },
)

EXERCISES = [e for lesson in every_lesson().values() for e in lesson.EXERCISES]
NAMED = {exercise.name: exercise for exercise in EXERCISES}
MENDS = {exercise.name: exercise for exercise in EXERCISES if isinstance(exercise, Mend)}
ALL = [*EXERCISES, SMALL, NUDGE, PATIENT]
each = over("exercise", ALL, ids=lambda exercise: exercise.name)


def programs(kind):
    return over(
        "exercise, program",
        [(exercise, program) for exercise in ALL for program in getattr(exercise, kind)],
        ids=lambda case: f"{case[0].name}, {case[1]!r}",
    )


def learners_answer(exercise, torch=minigrad):
    """What stands in a notebook after the solution was run."""
    if isinstance(exercise, (Mend, Stage)):
        return exercise.solution
    space = {"torch": torch}
    exec(exercise.solution, space)
    return space[exercise.answer]


@each
def test_the_solution_is_right(exercise):
    verdict = exercise.verdict(learners_answer(exercise))
    assert verdict.passed and repr(verdict).startswith("Right. "), verdict
    assert "Right." in verdict._repr_html_() and verdict.lines == [exercise.praise]


@each
def test_the_solution_gives_the_same_on_pytorch(exercise):
    ours = exercise.steps(exercise.solved())
    theirs = exercise.steps(exercise.solved(pytorch), pytorch)
    assert len(ours) == len(theirs) > 0
    for mine, their in zip(ours, theirs):
        refused = isinstance(exercise, Stage)  # an engine's refusals are results, too
        assert refused or not isinstance(mine.value, Exception), mine
        assert same(mine.value, their.value), (mine, their)


@each
def test_the_solution_is_right_with_tensors_of_pytorch(exercise):
    assert exercise.verdict(learners_answer(exercise, pytorch)).passed


@programs("mistakes")
def test_a_mistake_is_rejected_with_its_own_sentence(exercise, program):
    verdict = exercise.verdict(exercise.made(program))
    assert not verdict.passed and repr(verdict).startswith("Not yet. ")
    assert exercise.mistakes[program] in verdict.lines, verdict


@programs("also_right")
def test_what_is_odd_but_right_is_accepted(exercise, program):
    verdict = exercise.verdict(exercise.made(program))
    assert verdict.passed, verdict


@each
def test_an_exercise_is_complete(exercise):
    assert len(exercise.mistakes) >= 3 and exercise.also_right and exercise.hints
    assert len(set(exercise.mistakes.values())) >= 3
    for sentence in [exercise.praise, *exercise.hints, *exercise.mistakes.values()]:
        assert sentence[-1] in ".?!" and sentence[0] == sentence[0].strip(), sentence


def test_names_count_up_within_a_lesson():
    for number, lesson in every_lesson().items():
        names = [exercise.name for exercise in lesson.EXERCISES]
        assert names == [f"{number}-{k}" for k in range(1, len(names) + 1)]


# --- wrong answers that no author needs to write --------------------------------------------------

TENSORS = [e for e in ALL if isinstance(e, Numbers) and is_tensor(learners_answer(e))]


def wrong_tensors(right):
    """{what it is: a wrong tensor}, made from the right one."""
    flat = right.detach().reshape(-1)
    more = flat[-1].item() * 1.01 + 0.01
    spoilt = {"nan": float("nan"), "inf": float("inf"), "a little more": more}
    made = {
        label: minigrad.cat([flat[:-1], minigrad.tensor([value])]).reshape(*right.shape)
        for label, value in spoilt.items()
    }
    made |= {
        "ones": minigrad.ones_like(right),
        "zeros": minigrad.zeros_like(right),
        "negative": -right.detach(),
        "one more dimension": right.detach()[None],
        "without the last": right.detach()[:-1],
        "complex, by PyTorch": pytorch.complex(pytorch.ones(tuple(right.shape)), pytorch.ones(())),
        "flags": right.detach() > 1e9,
    }
    if right.dim() == 2:
        made["transposed"] = right.detach().t()
        made["flat"] = flat
    return made


@pytest.mark.parametrize("exercise", TENSORS, ids=lambda exercise: exercise.name)
def test_wrong_tensors_are_rejected(exercise):
    right = learners_answer(exercise)
    for label, wrong in wrong_tensors(right).items():
        verdict = exercise.verdict(wrong)
        assert not verdict.passed and all(verdict.lines), label
    for form in (right.tolist(), right.detach().numpy(), tuple(right.tolist())):
        verdict = exercise.verdict(form)
        if exercise.plain:
            assert verdict.passed, form
            continue
        assert not verdict.passed and "it should be a tensor" in verdict.lines[0]


@pytest.mark.parametrize("exercise", TENSORS, ids=lambda exercise: exercise.name)
def test_the_shape_is_told_before_an_element(exercise):
    right = learners_answer(exercise)
    lines = exercise.verdict(minigrad.zeros(7, 7)).lines
    assert f"has shape (7, 7); it should be {tuple(right.shape)}" in lines[0]


@pytest.mark.parametrize("exercise", TENSORS, ids=lambda exercise: exercise.name)
def test_right_tensors_may_be_odd(exercise):
    right = learners_answer(exercise)
    asks = right.requires_grad
    strided = minigrad.stack([right.detach(), right.detach()], dim=-1)[..., 0].requires_grad_(asks)
    for odd in (
        right.double().detach().requires_grad_(asks),
        strided,
        right.detach().clone().requires_grad_(True),
        pytorch.tensor(right.tolist(), requires_grad=asks),
    ):
        assert exercise.verdict(odd).passed, odd


# --- junk -----------------------------------------------------------------------------------------


class Hostile:
    """An answer that fails whenever it is looked at."""

    def __getattr__(self, name):
        raise RuntimeError("do not look")

    def __len__(self):
        raise RuntimeError("do not count")

    def __eq__(self, other):
        raise RuntimeError("do not compare")


def raises(*_):
    raise ValueError("on purpose")


def leaves(*_):
    raise SystemExit


def forever(*arguments):
    return forever(*arguments)


JUNK = [
    None,
    ...,
    True,
    -1,
    1.5,
    float("nan"),
    "",
    "abc",
    "x = (",
    "import os\n1/0",
    [],
    [[]],
    [[1], [2, 3]],
    {},
    {"a": 1},
    set(),
    object(),
    Hostile(),
    raises,
    leaves,
    forever,
    len,
    int,
    print,
    lambda: 1,
    lambda *a: ...,
    lambda *a: a,
    lambda *a: a[-1],
    lambda *a: Hostile(),
    lambda *a: np.ones(3),
    lambda *a: float("nan"),
    lambda *a: minigrad.Tensor,
    lambda *a: minigrad,
    lambda *a: pytorch.empty(3, device="meta"),
    np.array([1, 2]),
    np.array("a"),
    pytorch.ones(2, 3, 4),
    minigrad.zeros(2, 3, 4),
    minigrad.ones(3, 7, dtype=minigrad.int64),
    iter([1]),
    b"1",
    10**400,
    Decimal("sNaN"),
    minigrad.Tensor,
    pytorch.Tensor,
    pytorch.empty(2, 3, device="meta"),
    pytorch.ones(2, 3).to_sparse(),
    pytorch.ones(2, 3, dtype=pytorch.complex64),
    minigrad,
    random,
]


def test_what_cannot_be_read_is_the_same_only_as_what_cannot_be_read_for_that_reason():
    assert same("abc", "abc") and same(None, None)
    for yours, true in (("abc", [1.0]), ([1.0], "abc"), ("abc", "abd"), (None, 0.0), (len, 1.0)):
        assert not same(yours, true) and not same(true, yours)


@each
def test_junk_is_rejected_with_a_sentence_and_never_raises(exercise):
    for answer in JUNK:
        verdict = exercise.verdict(answer)
        assert not verdict.passed and verdict.lines and all(verdict.lines), type(answer)
        assert max(map(len, repr(verdict).splitlines())) <= 100, type(answer)
        assert "Not yet." in verdict._repr_html_(), type(answer)


# --- functions ------------------------------------------------------------------------------------

FUNCTIONS = [e for e in ALL if isinstance(e, Function)]


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.name)
def test_what_a_function_prints_and_turns_off_does_not_stay(exercise, capsys):
    right = learners_answer(exercise)

    def talkative(*arguments):
        print("called")
        result = right(*arguments)
        minigrad.set_grad_enabled(False)
        return result

    assert exercise.verdict(talkative).passed
    assert capsys.readouterr().out == "" and minigrad.is_grad_enabled()
    with minigrad.no_grad():
        assert exercise.verdict(right).passed
        assert not minigrad.is_grad_enabled()


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.name)
def test_a_function_that_is_right_once_only_is_rejected(exercise):
    right, calls = learners_answer(exercise), []

    def once(*arguments):
        calls.append(1)
        return right(*arguments) if len(calls) == 1 else None

    verdict = exercise.verdict(once)
    assert not verdict.passed and "Called a second time: result is None" in verdict.lines[1]


def test_lists_and_flags_of_results_are_told_by_place():
    def exercise(solution, **more):
        return function(
            "99-9",
            answer="f",
            inputs=lambda torch: {"1": (torch.ones(2),)},
            solution=solution,
            hints=("h.",),
            praise="p.",
            also_right=(),
            mistakes={},
            **more,
        )

    pair = exercise("def f(x):\n    return x * 2, x > 0")
    assert pair.verdict(lambda x: (x + x, x > 0)).passed
    assert "result[0][0] is 1" in pair.verdict(lambda x: (x, x > 0)).lines[1]
    assert "result is a Tensor; it should be 2 results" in pair.verdict(lambda x: x).lines[1]
    assert "result is a tuple of 3; it should be 2" in pair.verdict(lambda x: (x, x, x)).lines[1]
    flag = exercise("def f(x):\n    return bool(x.sum() > 1)")
    assert flag.verdict(lambda x: True).passed
    assert "result is False; it should be True" in flag.verdict(lambda x: False).lines[1]
    assert not flag.verdict(lambda x: 1).passed


@pytest.mark.parametrize("engine", [minigrad, pytorch])
def test_a_function_may_ask_its_argument_for_a_gradient(engine):
    space = {"torch": engine}
    body = "f(x.requires_grad_()).sum().backward()\n    return x.grad"
    exec(f"def nudge(f, x, eps):\n    {body}", space)
    lines = check("01-1", space["nudge"]).lines
    assert "x.requires_grad is True; it should be False" in lines[1]


@pytest.mark.parametrize(
    "way",
    [
        lambda f, x, v: minigrad.func.vjp(f, x)[1](v)[0],
        lambda f, x, v: minigrad.autograd.grad(f(x), x, v, create_graph=True)[0],
    ],
)
def test_how_a_recorded_pass_begins_is_heard(way):
    assert check("03-2", way).lines[0].startswith("The result is right, but the engine was given v")


def test_only_plain_numbers_cross_the_cut():
    def whole(left, right, x, v):
        y = left(x)
        return minigrad.autograd.grad(right(y), [y, x], v)

    lines = check("05-2", whole).lines
    assert "a tensor with a history" in lines[1] and lines[2].startswith("Nothing was cut")


def test_an_answer_that_runs_without_end_may_be_interrupted():
    def interrupted(*_):
        raise KeyboardInterrupt  # as Jupyter's stop button does

    assert check("06-3", interrupted).lines[0].startswith("You interrupted it.")
    assert mend_cell("12-1", "raise KeyboardInterrupt", {}).lines[0].startswith("You interrupted")
    assert minigrad.is_grad_enabled() and check("06-3", learners_answer(NAMED["06-3"])).passed


def test_numbers_that_explode_are_told_by_place():
    assert SMALL.verdict(float("nan")).lines[0] == "n is nan; it should be 3."
    exploded = mend(
        "99-9",
        program="a = [1., 2.]",
        repair=("2.", "3."),
        compares="a",
        praise="p.",
        hints=("h.",),
        mistakes={},
        also_right=(),
    )
    lines = exploded.verdict("a = [1., float('inf')]").lines
    assert lines == ["a[1] is inf; it should be 3."]


# --- programs to mend -----------------------------------------------------------------------------


def test_a_program_that_stops_is_told_with_its_line_in_pytorchs_words():
    verdict = PATIENT.verdict(PATIENT.program)
    assert verdict.lines[0] == (
        "Your program stops in line 4: RuntimeError: grad can be implicitly created only for "
        "scalar outputs"
    )
    verdict, _ = PATIENT.run(PATIENT.solution + "\nraise SystemExit")
    assert verdict.lines == ["Your program stops in line 5: SystemExit"]
    verdict = PATIENT.verdict(PATIENT.program + "\nx = ")
    assert verdict.lines[0] == "Your program stops in line 5: SyntaxError: invalid syntax"


def test_a_long_message_stands_whole_in_the_table_alone():
    twice = ("loss.backward()", "loss.sum().backward()\nloss.sum().backward()")
    verdict, _ = PATIENT.run(PATIENT.made(twice))
    assert verdict.lines[0].endswith("after they have already been freed).")


def test_a_mended_program_is_tried_on_other_inputs():
    verdict = PATIENT.verdict(PATIENT.made(("loss.backward()", "x.grad = torch.tensor([2., 4.])")))
    assert verdict.lines[:2] == ["With x = [3, 4]:", "x.grad[0] is 2; it should be 6."]
    verdict = PATIENT.verdict(PATIENT.solution.replace("[1., 2.]", "[5., 5.]"))
    given = "x = torch.tensor([1., 2.], requires_grad=True)"
    assert verdict.lines == [f"Leave this as it was: {given}"]
    assert PATIENT.verdict("").lines == verdict.lines


def test_a_mended_program_is_shown_beside_pytorch_and_leaves_its_variables():
    verdict, variables = PATIENT.run(PATIENT.solution)
    assert verdict.passed and "PyTorch" in repr(verdict) and "<table" in verdict._repr_html_()
    assert variables["x"].grad.tolist() == [2, 4] and "torch" not in variables
    verdict, _ = PATIENT.run(PATIENT.program)
    assert not verdict.passed and "error in line 4" in repr(verdict)


def test_without_pytorch_a_program_is_checked_all_the_same(no_torch):
    verdict, _ = PATIENT.run(PATIENT.solution + "\n# not recorded")
    assert verdict.passed and verdict.comparison is None


def test_a_card_asks_for_the_cause_until_the_program_is_changed(capsys):
    program, variables = MENDS["12-1"].program, {}
    card = mend_cell("12-1 12-a", program + "  \n", variables)
    assert "Case 1" in card.model.question and variables["w"].grad is None
    shown = capsys.readouterr().out
    assert "error in line 6" in shown and "Not yet" not in shown
    verdict = mend_cell(" 12-1  12-a ", program + "# changed", {})
    assert not verdict.passed and capsys.readouterr().out == ""
    assert MENDS["12-1"].mistakes[()] in verdict.lines
    assert not mend_cell("12-1", program, {}).passed
    assert "no card 12-z" in mend_cell("12-1 12-z", program, {}).text


def test_a_notebook_hands_out_the_program_that_is_checked():
    handed_out = []
    for path in all_notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            magic, _, program = cell.source.partition("\n")
            if magic.startswith("%%mend "):
                name = magic.split()[1]
                assert MENDS[name].is_as_handed_out(program), name
                handed_out.append(name)
    assert set(handed_out) == set(MENDS)


# --- names ----------------------------------------------------------------------------------------


def test_names_that_are_no_exercises_are_explained():
    for call in (check, hint, solution):
        assert "Exercises are called like" in repr(call("three"))
        assert "There is no exercise 03-9" in repr(call("03-9"))
        assert "Lesson 77 has no exercises" in repr(call("77-1"))
    assert "Give your answer too" in repr(check("03-1"))
    for name in ("3-1", " 03-1 ", "03-01", "03\u20131"):
        assert solution(name).text == solution("03-1").text


def test_hints_come_one_by_one():
    first = repr(hint("03-2")).replace("\n", " ")
    assert first.startswith("Hint 1:") and '(2 more: hint("03-2", 2))' in first
    assert hint("03-2", 3).text.startswith("Hint 3:") and "more)" not in hint("03-2", 3).text
    for number in (0, 4, -1, "x", None, 1.5, True, [2], float("nan"), Hostile()):
        assert "there is no hint" in hint("03-2", number).text
    for number in ("2", 2.0, np.int64(2)):
        assert hint("03-2", number).text == hint("03-2", 2).text


def test_checking_does_not_change_the_answer():
    v = minigrad.ones(2, 3)
    check("03-1", v)
    assert v.tolist() == [[1.0] * 3] * 2 and v.grad is None


def test_a_change_is_told_to_the_author_unless_it_can_be_made_once():
    for times, line in ((0, "no such line"), (2, "loss")):
        with pytest.raises(ValueError, match=f"stands {times} times, not once"):
            PATIENT.made((line, ""))


# --- how much a check runs ------------------------------------------------------------------------


def test_a_check_runs_nothing_twice_and_keeps_what_follows_from_the_solution(monkeypatch):
    exercise, calls = dataclasses.replace(NAMED["03-2"]), []
    call = exercises._call
    monkeypatch.setattr(exercises, "_call", lambda *given: calls.append(1) or call(*given))

    def made_by(answer):
        calls.clear()
        exercise.verdict(answer)
        return len(calls)

    right, listed, odd = learners_answer(exercise), exercise.made(("f(x)", "-f(x)")), lambda *a: 5
    one = 3 * len(exercise.inputs(minigrad))  # an answer in all cases: six, with three calls each
    assert made_by(odd) <= 3 * (2 + len(exercise.mistakes))  # all of them, in the first case alone
    assert [made_by(odd), made_by(right), made_by(right)] == [3, 2 * one - 3, one]
    assert made_by(listed) == 2 * one - 3 and made_by(listed) == one
