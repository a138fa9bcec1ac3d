"""There is one front door, `python3 run.py`, and what the documents show of it is tested.

What else they show, as `pip install`, says in its section what it needs: "needs ..." with the words
of NEEDS.
"""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.house.test_launcher import NAMES, launcher_module
from tests.house.test_tree import project_files

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in (".", "docs", "deploy", "notebooks/instructor")
    for path in sorted((ROOT / folder).glob("*.md"))
    if path.name != "CHANGELOG.md"  # it tells what has changed, and instructs nobody
]
OTHER_DOORS = re.compile(r"python[\d.]* -m |\.venv/bin/|-m tools\.|uv run ")
PROGRAM = re.compile(
    r"(?:sudo |\w+=\S+ )*(?:python(?:3(?:\.\d+)?)?|run\.py|pip|uv|pytest|ruff|git|jupyter"
    r"|jupyterhub|adduser|apt|npm|docker|curl|make|source|sphinx-build|check-jsonschema"
    r"|actionlint) \S"
)

# {command: what is run here, OUT in a folder of its own}. It must succeed, and print or write.
HERE = {
    "class": "run.py class OUT",
    "link": "run.py link https://hub.example.org https://github.com/me/course",
    "papers": "-m tools.papers OUT",
    "minutes": "-m tools.minutes --check",
}
LAUNCHER, WORKFLOWS = "tests/house/test_launcher.py", "tests/deployment/test_workflows.py"
# {command: (the test file that makes the call, the words with which it does)}
TESTED = {
    "lab": (LAUNCHER, 'launcher.main("lab")'),
    "slides": ("tests/browser/test_slides.py", "slides.write("),
    "copies": (LAUNCHER, '"copies", "mine"'),
    "collect": ("tests/classroom/lessons/test_collect.py", '"tools.collect"'),
    "site": ("tests/deployment/test_site_live.py", "live.build(folder)"),
    "notebooks": ("tests/notebooks/test_tool.py", "main("),
    "record": ("tests/classroom/test_recorded.py", 'record.main("--check")'),
    "pictures": ("tests/browser/test_accessibility.py", "from tests.browser.pictures import"),
    "test": ("tests/house/test_test_command.py", "command.main("),
    "check": ("tests/house/test_format.py", "call(CHECKS[name], "),
    "bench": ("tests/house/test_bench.py", "bench.main("),
    "graders": ("tests/deployment/test_assignments.py", "from tests.deployment.graders import"),
    "release": (WORKFLOWS, "release.notes("),
    "wheelhouse": (LAUNCHER, 'launcher.main("wheelhouse", '),
    "hub": ("tests/deployment/test_hub.py", '"-m", "jupyterhub", "-f", config'),
}
# {the beginning of another command: what it needs}, as the section that shows it says it.
NEEDS = {
    "pip install": "package index",
    "jupyter lab": "package index",
    "check-jsonschema": "package index",
    "git clone": "address of a copy",
    "git tag": "repository of your own",
    "git push": "repository of your own",
    "adduser": "root",
    "apt install": "root",
}
NOTHING = ("pytest --nbval notebooks",)  # needed; tests/house/test_test_command.py makes the call


def sections(page):
    """The text of a page, heading by heading, without what is commented out."""
    text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.split(r"^(?=#+ )", text, flags=re.MULTILINE)


def shown(text):
    """The commands in a text: lines of its code blocks, and inline code."""
    fenced = re.findall(r"^```(?:bash|sh|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.splitlines()]
    lines += re.findall(r"^ {4,}(.*)$", prose, re.MULTILINE)
    lines += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]
    parts = [part.strip() for line in lines for part in line.split(" && ")]
    return [bare(part) for part in parts if PROGRAM.match(part)]


def bare(line):
    """A command without what stands before it, and without what explains it."""
    line = re.split(r"\s{2,}|\s#\s", line)[0]
    return re.sub(r"^((sudo|\w+=\S+) )*(python[\d.]* (?=run\.py))?", "", line)


FOUND = [
    (command, page, text) for page in PAGES for text in sections(page) for command in shown(text)
]
OURS = [(command.split(), page) for command, page, _ in FOUND if command.startswith("run.py")]
OTHERS = [one for one in FOUND if not one[0].startswith(("run.py", *NOTHING))]


def texts_for_people():
    """(file, text) of all that tells what to type: pages, notebooks, programs, settings."""
    kinds = {".md", ".py", ".html", ".toml", ".txt", ".json", ".yml", ".yaml", ""}
    for path in project_files():
        if path.suffix == ".ipynb":
            cells = nbformat.read(path, as_version=4).cells
            yield path, "\n".join(cell.source for cell in cells)
        elif path.suffix in kinds and path not in (Path(__file__), ROOT / "CHANGELOG.md"):
            yield path, path.read_text(encoding="utf-8")


def test_no_other_door_is_named_anywhere():
    named = [
        f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
        for path, text in texts_for_people()
        for line in text.splitlines()
        if OTHER_DOORS.search(line)
    ]
    assert not named, "Say it by a command of run.py."


def test_every_command_has_a_test_and_no_other_has():
    assert len(HERE) + len(TESTED) == len({**HERE, **TESTED})  # each stands in one place
    assert sorted({**HERE, **TESTED}) == sorted(NAMES)


def test_what_is_shown_of_the_front_door_is_there():
    assert OURS
    unknown = {f"{' '.join(words)}   in {page.name}" for words, page in OURS if words[1:2] != []}
    unknown = {one for one in unknown if one.split()[1] not in NAMES}
    assert not unknown


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_its_own_help_and_installs_nothing_for_it(name):
    """By a Python without any package. It says how the command is called, and each option, of its
    program and of what the documents show."""
    bare = [sys.executable, "-I", "-S", ROOT / "run.py", name, "--help"]
    run = subprocess.run(bare, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert f"run.py {name}" in run.stdout
    program = launcher_module().source(name).read_text(encoding="utf-8")
    if name not in ("lab", "wheelhouse"):  # their options stand in run.py, beside each other
        options = re.findall(r'(?:add_argument\(|== |in )[("]*(--[a-z-]+)', program)
        assert [option for option in options if option not in run.stdout] == []
    shown = {
        (option.partition("=")[0], page.name)
        for words, page in OURS
        if words[1:2] == [name] and name != "test"  # whose options are pytest's
        for option in words[2:]
        if option.startswith("--")
    }
    assert [one for one in shown if one[0] not in run.stdout and one[0] != "--help"] == []


@pytest.mark.parametrize("name", TESTED)
def test_the_test_that_is_named_makes_the_call(name):
    file, call = TESTED[name]
    assert call in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {call}"


@pytest.mark.parametrize("name", HERE)
def test_a_command_that_takes_a_second_does_what_it_should(name, tmp_path):
    words = HERE[name].replace("OUT", str(tmp_path / "out")).split()
    run = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert list(tmp_path.iterdir()) if "OUT" in HERE[name] else run.stdout.strip()


def test_what_another_command_needs_is_said_where_it_is_shown():
    silent = []
    for command, page, text in OTHERS:
        needed = [NEEDS[one] for one in NEEDS if command.startswith(one)]
        said = re.compile(rf"\bneeds?\b[^.]*\b{needed[0]}\b" if needed else r"^\b$", re.IGNORECASE)
        if not said.search(" ".join(text.split())):
            silent.append(f"{command}   in {page.name}, {text.splitlines()[0]}: {needed}")
    assert not silent, 'Name it in NEEDS, and say "needs ..." where it is shown.'
    assert {one for one in NEEDS if not any(c.startswith(one) for c, _, _ in OTHERS)} == set()


def test_commands_are_found_in_blocks_and_in_sentences():
    text = """
Write `python3 run.py lab --stored` or `pip install .`; not `backward(v)`.

    sudo MG=1 python3 run.py hub    # explained
    python3 run.py test tests/engine -q
    a = torch.tensor(2.)

```bash
cd there && python3.13 run.py slides OUT
```
"""
    assert sorted(shown(text)) == [
        "pip install .",
        "run.py hub",
        "run.py lab --stored",
        "run.py slides OUT",
        "run.py test tests/engine -q",
    ]
