"""The test command finds a browser or fails in one sentence; it never leaves tests out unasked."""

import os
import subprocess
import sys

import pytest

from tests.house.test_imports import NOTEBOOKS, ROOT, code_of
from tools import test as command


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine where only what the test names is a browser; `.done` is what was tried."""

    class Machine:
        def __init__(self):
            self.browsers, self.offered, self.done = set(), {}, []

        def gain(self, step):
            self.done.append(step)
            self.browsers |= self.offered.get(step, set())
            return step in self.offered

    machine = Machine()
    monkeypatch.setenv("MINIGRAD_BROWSER", "")  # as if unset; what a test sets is undone
    monkeypatch.setattr(command, "which", lambda name: name if name in machine.browsers else None)
    monkeypatch.setattr(command, "starts", lambda path: path in machine.browsers)
    monkeypatch.setattr(
        command,
        "playwright_browser",
        lambda: next((path for path in machine.browsers if "ms-playwright" in path), None),
    )
    monkeypatch.setattr(command, "playwright_starts", lambda: True)
    monkeypatch.setattr(command, "run", lambda *words: machine.gain(" ".join(map(str, words[2:]))))
    monkeypatch.setattr(command, "apt_install", lambda package, why: machine.gain("apt " + package))
    monkeypatch.setattr(command, "become", lambda *words: machine.done.append(words))
    return machine


DOWNLOAD = "playwright install --no-shell chromium"
PACKAGES = ["apt chromium-headless-shell", "apt chromium"]


def test_a_browser_that_is_here_is_taken(machine):
    machine.browsers = {"google-chrome"}
    assert command.find_browser() == "google-chrome" and not machine.done


def test_then_playwrights_own_download(machine):
    machine.offered = {DOWNLOAD: {"ms-playwright/chrome"}}
    assert command.find_browser() == "ms-playwright/chrome" and machine.done == [DOWNLOAD]
    assert command.find_browser() == "ms-playwright/chrome" and machine.done == [DOWNLOAD]


def test_then_debians_package_and_where_it_has_only_the_larger_one_that(machine):
    machine.offered = {PACKAGES[0]: {"chromium-headless-shell"}}
    assert command.find_browser() == "chromium-headless-shell"
    assert machine.done == [DOWNLOAD, PACKAGES[0]]
    machine.browsers, machine.done = set(), []
    machine.offered = {PACKAGES[1]: {"chromium"}}
    assert command.find_browser() == "chromium"
    assert machine.done == [DOWNLOAD, *PACKAGES]


def test_without_any_it_says_so_in_one_sentence_and_fails(machine):
    with pytest.raises(SystemExit) as stop:
        command.main([])
    assert stop.value.code == command.NONE_FOUND and command.NONE_FOUND.count(".") == 1
    assert machine.done == [DOWNLOAD, *PACKAGES]  # and pytest was not started


def test_the_one_named_is_used_or_refused(machine, monkeypatch):
    machine.browsers = {"chromium", "mine"}
    monkeypatch.setenv("MINIGRAD_BROWSER", "mine")
    assert command.find_browser() == "mine"
    monkeypatch.setenv("MINIGRAD_BROWSER", "gone")
    with pytest.raises(SystemExit, match="MINIGRAD_BROWSER names gone, which does not start"):
        command.find_browser()


def test_a_playwright_that_cannot_start_is_mended_or_named(machine, monkeypatch):
    machine.browsers = {"chromium"}
    answers = iter([False, True, False, False])  # mended by the package; not mended
    monkeypatch.setattr(command, "playwright_starts", lambda: next(answers))
    machine.offered = {"apt libatomic1": set()}
    command.main(["tests/browser"])
    assert machine.done[0] == "apt libatomic1" and machine.done[1][2] == "pytest"
    with pytest.raises(SystemExit, match="Playwright, which the browser tests use"):
        command.main([])


@pytest.mark.parametrize(
    "arguments, reached",
    [
        ([], True),
        (["-x", "-k", "editor"], True),
        (["tests"], True),
        (["tests/browser"], True),
        (["."], True),
        (["tests/engine", "tests/browser"], True),
        (["tests/deployment/test_site_live.py"], True),
        (["tests/house"], False),
        (["tests/house/test_imports.py::test_x", "-q"], False),
        (["notebooks"], False),
    ],
)
def test_a_browser_is_looked_for_where_its_tests_are_among_those_asked_for(arguments, reached):
    assert command.reaches_browser_tests(arguments) == reached


def test_pytest_gets_the_arguments_and_the_browser(machine, monkeypatch):
    machine.browsers = {"chromium"}
    command.main(["-x", "-k", "editor"])
    [(python, *words)] = machine.done
    assert python == sys.executable and words[:2] == ["-m", "pytest"]
    assert words[-3:] == ["-x", "-k", "editor"]  # last: they may overrule any other
    assert command.os.environ["MINIGRAD_BROWSER"] == "chromium"


def test_only_what_runs_is_a_browser(tmp_path):
    note = tmp_path / "chromium-browser"
    note.write_text("#!/bin/sh\necho 'install the snap'; exit 1\n")
    note.chmod(0o755)
    assert not command.starts(str(note)) and not command.starts(str(tmp_path / "absent"))
    assert command.starts(sys.executable)


def test_the_notebooks_are_compared_by_pytest_and_nbval_alone():
    """As by someone who has installed requirements.txt and no more."""
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "nbval.plugin",
            "--nbval",
            "--collect-only",
            "-q",
            "notebooks",
        ],
        cwd=ROOT,
        env=alone,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    with_code = [path for path in NOTEBOOKS if any(code_of(path))]
    assert with_code and all(f"{path.name}::Cell 0" in run.stdout for path in with_code)
