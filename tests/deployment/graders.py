"""Do nbgrader and otter-grader mark the exercises as they should? The real tools, end to end.

    python3 run.py graders nbgrader
    python3 run.py graders otter

Each installs the tool into a temporary environment, lets it make the learners' version of the
example in deploy/assignments/, hands in answers, and lets the tool mark them: the solutions, which
must get every mark, the learners' version as it is, which must get none, and each listed mistake of
each exercise, which must get none while a right answer next to it does. It needs a package index
and takes a few minutes, too long for a daily test.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from minigrad.classroom.lessons import every_lesson
from minigrad.classroom.lessons.exercises import Function, changed
from minigrad.classroom.lessons.mend import Mend
from minigrad.classroom.lessons.stages import Stage
from tools.files import ROOT

ASSIGNMENTS = ROOT / "deploy" / "assignments"
EXERCISES = {one.name: one for lesson in every_lesson().values() for one in lesson.EXERCISES}
# What the classroom needs: it is itself taken from this folder, and marks need no PyTorch.
BESIDES = ("ipykernel", "numpy", "ipywidgets")
TOOLS = {"nbgrader": "nbgrader==0.9.6", "otter": "otter-grader==7.0.0"}
UNTOUCHED = "as-handed-out"


def beginning(name):
    """How the cell begins that has the answer to an exercise."""
    return (f"# Exercise {name}\n", f"%%mend {name}\n")


def answer(name, program=None):
    """The text of the cell with an answer: one of the listed mistakes, else the solution."""
    exercise = EXERCISES[name]
    comment, magic = beginning(name)
    if program is None:
        text = exercise.solution
    elif isinstance(exercise, Function):
        text = changed(exercise.solution, program)
    elif isinstance(exercise, (Mend, Stage)):
        text = exercise.made(program)
    else:
        text = f"{exercise.answer} = {program}"
    if isinstance(exercise, Mend):
        return magic + text
    return comment + (f"part = {text!r}" if isinstance(exercise, Stage) else text)


def answered(notebook, answers):
    """The notebook with {name of an exercise: text of its cell} in the place of what is there."""
    cells = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        own = [new for name, new in answers.items() if text.startswith(beginning(name))]
        cells.append({**cell, "source": own[0]} if own else cell)
    return {**notebook, "cells": cells}


def asked(notebook):
    """The names of the exercises in a notebook, in their order."""
    texts = ["".join(cell["source"]) for cell in notebook["cells"]]
    found = [name for text in texts for name in EXERCISES if text.startswith(beginning(name))]
    return list(dict.fromkeys(found))


def submissions(names):
    """{who: {exercise: a mistake, or None for the solution}}: the solutions, then one submission
    for the first mistakes, one for the second, ... until each has been handed in."""
    listed = {name: list(EXERCISES[name].mistakes) for name in names}
    made = {"solutions": dict.fromkeys(names)}
    for k in range(max(map(len, listed.values()))):
        made[f"mistakes-{k + 1}"] = {
            n: (more[k : k + 1] or [None])[0] for n, more in listed.items()
        }
    return made


def expected(names):
    """{who: {exercise: points}}: what marking must come to."""
    found = {
        who: {name: float(program is None) for name, program in answers.items()}
        for who, answers in submissions(names).items()
    }
    return {UNTOUCHED: dict.fromkeys(names, 0.0), **found}


def hand_in(handed_out, place):
    """Write all submissions, made from the learners' version; `place(who)` is where one goes."""
    notebook = json.loads(handed_out.read_text(encoding="utf-8"))
    names = asked(notebook)
    filled = {
        who: answered(notebook, {name: answer(name, one) for name, one in answers.items()})
        for who, answers in submissions(names).items()
    }
    for who, made in {UNTOUCHED: notebook, **filled}.items():
        place(who).parent.mkdir(parents=True, exist_ok=True)
        place(who).write_text(json.dumps(made), encoding="utf-8")
    return names


# --- the two tools -------------------------------------------------------------------------------


def by_nbgrader(folder, call):
    """(the exercises, {who: {exercise: points}}), marked by nbgrader in a course of its own."""
    source = folder / "source" / "weights" / "weights.ipynb"
    source.parent.mkdir(parents=True)
    shutil.copy(ASSIGNMENTS / "nbgrader.ipynb", source)
    call("nbgrader", "generate_assignment", "weights")
    names = hand_in(
        folder / "release" / "weights" / "weights.ipynb",
        lambda who: folder / "submitted" / who / "weights" / "weights.ipynb",
    )
    call("nbgrader", "autograde", "weights")
    call("python", "-c", _READ_GRADEBOOK)
    found = {}
    with (folder / "points.csv").open(newline="") as points:
        for who, name, score in csv.reader(points):
            found.setdefault(who, {})[name] = float(score)
    return names, found


_READ_GRADEBOOK = textwrap.dedent("""
    import csv
    from nbgrader.api import Gradebook

    with Gradebook("sqlite:///gradebook.db") as book, open("points.csv", "w", newline="") as file:
        for submission in book.assignment_submissions("weights"):
            for grade in submission.notebooks[0].grades:
                csv.writer(file).writerow([submission.student.id, grade.name, grade.auto_score])
""")


def by_otter(folder, call):
    """(the exercises, {who: {exercise: points}}), marked by otter-grader without a container."""
    shutil.copy(ASSIGNMENTS / "otter.ipynb", folder / "weights.ipynb")
    call("otter", "assign", "weights.ipynb", "made")  # runs the tests on the solutions, too
    [rules] = (folder / "made" / "autograder").glob("*.zip")
    handed_in = folder / "handed-in"
    names = hand_in(
        folder / "made" / "student" / "weights.ipynb",
        lambda who: handed_in / who / "weights.ipynb",
    )
    found = {}
    for who in sorted(path.name for path in handed_in.iterdir()):
        told = folder / "marked" / who
        told.mkdir(parents=True)
        call(
            "otter", "run", "--no-logo", "-a", rules, "-o", told, handed_in / who / "weights.ipynb"
        )
        tests = json.loads((told / "results.json").read_text(encoding="utf-8"))["tests"]
        found[who] = {test["name"]: test["score"] for test in tests if test["name"] in names}
    return names, found


def main(tool=""):
    if tool not in TOOLS:
        sys.exit(f"Which tool? {' or '.join(TOOLS)}\n{__doc__}")
    with tempfile.TemporaryDirectory(prefix="grading-") as place:
        environment, folder = Path(place) / "env", Path(place) / "course"
        folder.mkdir()
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        at = {**os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": ""}
        at["PATH"] = f"{scripts}{os.pathsep}{at['PATH']}"

        def call(command, *arguments):
            """Run a command of the environment; where it fails, say what it said, and stop."""
            whole = [str(scripts / command), *map(str, arguments)]
            done = subprocess.run(whole, cwd=folder, env=at, capture_output=True, text=True)
            if done.returncode:
                print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
                sys.exit(f"{command} {arguments[0]} failed; it says above why.")

        print(f"Installing {TOOLS[tool]} into a temporary folder ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        call("python", "-m", "pip", "install", "-q", TOOLS[tool], *BESIDES)
        print("Handing out, handing in, marking ...", flush=True)
        names, found = {"nbgrader": by_nbgrader, "otter": by_otter}[tool](folder, call)
    wanted = expected(names)
    wrong = [who for who in wanted if found.get(who) != wanted[who]]
    for who in wrong:
        print(f"{who}: should get {wanted[who]}, got {found.get(who)}")
    mistakes = sum(len(EXERCISES[name].mistakes) for name in names)
    print(f"{len(wanted)} submissions of {len(names)} exercises, {mistakes} listed mistakes.")
    sys.exit("Not all are marked as they should be." if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
