"""Who adds a widget, an exercise or a lesson writes the files that CONTRIBUTING names, no other.

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

    shows = ("count",)

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

    def stored_answer(self):
        return None
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

EXERCISES["11-99"] = numbers(
    "What is 2 * 3?",
    6.0,
    hints=["Add 3 and 3.", "It is 6."],
    solution="6.0",
    wrong={5.0: "Not 2 + 3."},
)
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

    def run(self, code):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "MINIGRAD_PROGRESS": ""},
            capture_output=True,
            text=True,
            timeout=120,
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
