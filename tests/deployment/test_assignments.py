"""The example assignments: asserted in this process, as nbgrader and otter-grader assert them.

`run.py graders` runs the tools themselves; here the cells of each notebook run with the
solutions, with every listed mistake, and as they are handed out.
"""

import json

import pytest

from minigrad.classroom.lessons import mend_cell
from tests.deployment.graders import (
    ASSIGNMENTS,
    EXERCISES,
    TOOLS,
    answer,
    answered,
    asked,
    submissions,
)

NAMES = ["03-1", "03-2", "08-1", "13-1"]
each = pytest.mark.parametrize("tool", TOOLS)


def notebook(tool):
    return json.loads((ASSIGNMENTS / f"{tool}.ipynb").read_text(encoding="utf-8"))


def marked(cells):
    """The exercises whose assertion holds, when the cells of an assignment are run in turn."""
    space, right = {}, []
    names = iter(NAMES)
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if text.startswith("%%mend "):
            line, _, program = text.removeprefix("%%mend ").partition("\n")
            mend_cell(line, program, space)
        elif "assert verdict" in text:
            name = next(names)
            assert f'check("{name}"' in text
            try:
                exec(text, space)
                right.append(name)
            except AssertionError as error:
                assert str(error).startswith("Not yet. ")  # and it says why
        else:
            exec(text, space)
    return right


@each
def test_solutions_get_every_mark_and_a_mistake_none_beside_right_answers(tool):
    empty = notebook(tool)
    assert asked(empty) == NAMES
    for who, answers in submissions(NAMES).items():
        cells = {name: answer(name, program) for name, program in answers.items()}
        found = marked(answered(empty, cells)["cells"])
        wrong = [name for name, program in answers.items() if program is not None]
        assert found == [name for name in NAMES if name not in wrong], who


def test_every_listed_mistake_is_handed_in_once():
    handed_in = [
        (name, program)
        for answers in submissions(NAMES).values()
        for name, program in answers.items()
        if program is not None
    ]
    listed = [(name, program) for name in NAMES for program in EXERCISES[name].mistakes]
    assert sorted(map(repr, handed_in)) == sorted(map(repr, listed))


def test_the_source_of_nbgrader_holds_no_solution_that_it_does_not_take_out():
    """nbgrader empties what lies between its marks; other cells are handed out as they are."""
    cells = notebook("nbgrader")["cells"]
    ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
    assert [one for one in ids if one in NAMES] == NAMES
    for cell in cells:
        text, marks = "".join(cell["source"]), cell["metadata"].get("nbgrader", {})
        assert ("### BEGIN SOLUTION" in text) == bool(marks.get("solution")), text
        is_assertion = "assert verdict" in text
        assert is_assertion == bool(marks.get("grade")) and (not is_assertion or marks["locked"])
    assert marked(_emptied(cells)) == []


def _emptied(cells):
    """The learners' version, as nbgrader makes it."""
    stub = {"03-1": "v = ...", "03-2": "def vjp_by_weighted_sum(f, x, v): ..."}
    return answered({"cells": cells}, stub)["cells"]
