"""What GitHub is asked to do can be done: commands, packages and addresses are the project's own.

The workflows themselves were checked by linters (docs/publish.md) and have not run on GitHub yet.
"""

import re

import pytest
import yaml

import minigrad
from minigrad.classroom.lessons import course
from tests.deployment import graders
from tests.house.test_launcher import NAMES
from tests.house.test_tree import requirements
from tools import release
from tools.files import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: path.read_text("utf-8") for path in (GITHUB / "workflows").glob("*.yml")}
each = pytest.mark.parametrize("name", WORKFLOWS)


def steps(name):
    jobs = yaml.safe_load(WORKFLOWS[name])["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def commands(name):
    return "\n".join(step.get("run", "") for step in steps(name))


def test_there_are_three():
    assert set(WORKFLOWS) == {"tests", "site", "release"}


@each
def test_what_a_workflow_runs_is_there(name):
    named = re.findall(r"run\.py (\w+)", commands(name))
    assert named and set(named) <= set(NAMES)
    paths = re.findall(r"\b(?:tests|tools)/[\w/.]+", commands(name))
    assert [path for path in paths if not (ROOT / path).exists()] == []


@each
def test_actions_are_pinned_and_what_they_may_do_is_said(name):
    used = [step["uses"] for step in steps(name) if "uses" in step]
    assert used and [one for one in used if not re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", one)] == []
    told = yaml.safe_load(WORKFLOWS[name])
    assert told["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in told["jobs"].values())


def test_three_systems_and_three_sets_of_packages():
    jobs = yaml.safe_load(WORKFLOWS["tests"])["jobs"]
    runs = jobs["test"]["strategy"]["matrix"]["include"]
    assert {run["system"] for run in runs} == {"ubuntu", "macos", "windows"}
    named = {run["packages"]: run["constraints"] for run in runs}
    assert named == {
        "tested": "constraints.txt",
        "oldest": "constraints-oldest.txt",
        "newest": "",
    }
    assert all((ROOT / file).exists() for file in named.values())
    assert jobs["graders"]["strategy"]["matrix"]["grader"] == list(graders.TOOLS)


def test_the_oldest_packages_are_those_that_requirements_allow():
    listed = [line for line in requirements("requirements.txt") if not line.startswith("-e")]
    oldest = dict(line.split("==") for line in requirements("constraints-oldest.txt"))
    assert len(oldest) == len(listed)
    for line in listed:
        package, least = re.match(r"([\w-]+)[=>]=([\d.]+)", line).groups()
        assert oldest[package] == least + ".0" * (2 - least.count(".")), line


def test_the_form_names_every_lesson_and_asks_what_helps():
    form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "confused.yml").read_text("utf-8"))
    asked = {part["id"]: part["attributes"] for part in form["body"]}
    assert list(asked) == ["lesson", "sentence", "expected", "seen", "where"]
    lessons = [f"{one.number} {one.title}" for one in course.COURSE]
    assert asked["lesson"]["options"] == [*lessons, course.LECTURE[0], "Another page"]


CHANGES = """\
# Changes

## 0.3.0 (not yet released)

- c

## 0.2.0 (2026-01-02)

- a
- b

## 0.1.0
"""


def test_the_notes_of_a_release_are_its_part_of_the_changelog():
    assert release.notes("v0.2.0", "0.2.0", CHANGES) == "- a\n- b\n"


@pytest.mark.parametrize(
    "tag, version, sentence",
    [
        ("v0.2.1", "0.2.0", "The tag is v0.2.1, and pyproject.toml says version 0.2.0."),
        ("v0.3.0", "0.3.0", "put the date in its place"),
        ("v0.4.0", "0.4.0", "CHANGELOG.md has no part on version 0.4.0."),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(tag, version, sentence):
    with pytest.raises(SystemExit, match=re.escape(sentence)):
        release.notes(tag, version, CHANGES)


def test_the_version_at_hand_has_notes_or_is_called_unreleased(capsys):
    try:
        release.main(f"v{minigrad.__version__}")
    except SystemExit as refusal:
        assert "not yet released" in str(refusal)
    else:
        assert capsys.readouterr().out.startswith("- ")
