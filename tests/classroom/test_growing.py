"""A widget, a lesson, an exercise or a kind of diagnosis is added in the files that CONTRIBUTING
names, and in no others.

Each is added to a copy of the project, in just those files, and is then used as a learner would.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODEL = '''
from ..shared.model import Model, action, whole


class TallyMark(Model):
    """Count what you see."""

    shows = "count"

    def __init__(self):
        super().__init__()
        self.count = 0

    @action
    def add(self, number):
        """Add a whole number."""
        self.count += whole(number, 1, 9, "What is added", "number")

    def _told(self):
        return self.summary()

    def summary(self):
        return f"Tally mark: {self.count}"

    def text(self, answer=None):
        return self._joined([self.summary()])
'''
PANEL = """
from ...show.html import joined
from ..shared import inputs, parts
from ..shared.inputs import act

USE = "count"


def draw(tally):
    changed = tally.changed(lambda tally: {"": tally.count})
    count = parts.chip(tally.count, marks=parts.classes(changed=bool(changed)))
    field = inputs.field("add", "how many to add", "", act("add"))
    return joined(parts.title(words="Tally"), inputs.bench(field), count, parts.refusal(tally))
"""
TALLY = """
from minigrad.classroom import widgets

panel = widgets.TallyMark()
panel._perform(None, {"action": "add", "arguments": ["4"]}, None)
assert panel.count == 4 and "+4" in panel.html and "mg-changed" in panel.html
panel._perform(None, {"action": "add", "arguments": ["<b>"]}, None)
assert panel.count == 4 and "&lt;b&gt;" in panel.html and "<b>" not in panel.html
bundle, _ = panel._repr_mimebundle_()
assert "<input" not in bundle["text/html"] and "Run this cell to count." in bundle["text/html"]
assert "add(number)" in panel.help() and "TallyMark" in dir(widgets)
"""
EXERCISE = """

EXERCISES.append(
    numbers(
        "11-9",
        answer="v",
        given="x = torch.tensor([1., 2.], requires_grad=True)",
        then="(x * x).backward(v)",
        shows="x.grad",
        solution="v = torch.tensor([3., 1.])",
        praise="Each entry of v counts one output.",
        hints=("Divide by 2x.",),
        mistakes={
            "torch.tensor([6., 4.])": "That is x.grad itself.",
            "torch.tensor([1., 3.])": "The other way round.",
            "torch.ones(2)": "Ones give 2x.",
        },
        also_right=("6 / (2 * x.detach()) * torch.tensor([1., 2 / 3])",),
    )
)
"""
ANSWERED = """
import minigrad as torch
from minigrad.classroom.lessons import check, hint, solution

assert check("11-9", torch.tensor([3.0, 1.0])).passed
wrong = check("11-9", torch.tensor([1.0, 3.0]))
assert not wrong.passed and "The other way round." in str(wrong)
assert "Divide by 2x." in str(hint("11-9")) and "[3., 1.]" in str(solution("11-9"))
"""
KIND = r"""

@Kind(
    lesson="13-write-engine",
    why="No parameter moves.",
    advice="Give it a rate.",
    fixes=[(r"lr=0\.0\)", "lr=0.1)")],
    certain=True,
)
def zero_rate(case):
    "A learning rate of zero."
    for line in case.source.having(r"lr=0\.0\)"):
        yield line, "Each step is zero times the gradient."
"""
DIAGNOSED = """
from minigrad.classroom.diagnosis import diagnose

found = diagnose('''
w = torch.tensor([1., 2.], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.0)
for step in range(5):
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
''')
[finding] = [one for one in found.findings if one.kind == "zero-rate"]
assert finding.line == 3 and "lr=0.1)" in str(finding.change)
assert "Each step is zero times the gradient." in str(found)
"""


@pytest.fixture
def project(tmp_path):
    """A copy of minigrad; change(path, old, new) edits a file, run(code) runs Python with it."""
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "minigrad", tmp_path / "minigrad", ignore=left_out)
    return Project(tmp_path)


class Project:
    def __init__(self, folder):
        self.folder, self.classroom = folder, folder / "minigrad" / "classroom"

    def change(self, path, old, new):
        file = self.classroom / path
        text = file.read_text("utf-8")
        assert text.count(old) == 1, (path, old)
        file.write_text(text.replace(old, new), "utf-8")

    def append(self, path, text):
        with (self.classroom / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def run(self, code):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "MINIGRAD_PROGRESS": ""},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def test_a_widget_is_a_model_a_panel_and_its_name(project):
    room = project.classroom / "widgets" / "tally_mark"
    room.mkdir()
    for name, text in (("__init__", ""), ("model", MODEL), ("panel", PANEL)):
        (room / f"{name}.py").write_text(text, "utf-8")
    project.change(
        "widgets/__init__.py", '    "ThenAndNow",\n', '    "TallyMark",\n    "ThenAndNow",\n'
    )
    project.run(TALLY)


def test_a_lesson_is_on_the_map_and_in_the_list_by_its_line(project):
    course = project.classroom / "lessons" / "course.py"
    line = next(one for one in course.read_text("utf-8").splitlines() if "13-write-engine" in one)
    new = line.replace("13-write-engine", "15-look-back").replace(
        "Write your own engine", "Look back"
    )
    project.change("lessons/course.py", line, f"{line}\n{new}")
    code = "from minigrad.classroom.lessons import course; print(course.table()); course.picture()"
    assert "15 Look back" in project.run(code)


def test_an_exercise_is_checked_by_being_in_its_lesson_s_file(project):
    project.append("lessons/l11.py", EXERCISE)
    project.run(ANSWERED)


def test_a_kind_of_mistake_is_looked_for_by_being_in_a_file_of_kinds(project):
    project.append("diagnosis/kinds/losses.py", KIND)
    project.run(DIAGNOSED)
