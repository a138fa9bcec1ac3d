"""Every command that the documents show is run by a test, or marked with what it needs.

A new command makes the first test fail, and its message says what to do. There are three places
for it: HERE, if it takes a second or two; TESTED, with the test that makes the call; NEEDS, if it
cannot be run in a test: then the section that shows it has to say "needs ..." with these words.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in (".", "docs", "deploy", "notebooks/instructor")
    for path in sorted((ROOT / folder).glob("*.md"))
    if path.name != "CHANGELOG.md"  # it tells what has changed, and instructs nobody
]
PROGRAM = re.compile(
    r"(?:sudo |\w+=\S+ )*(?:python(?:3(?:\.\d+)?)?|\.venv/bin/[\w-]+|run\.py|pip|uv|pytest|ruff|git"
    r"|jupyter|jupyterhub|adduser|apt|npm|docker|curl|make|source|sphinx-build|check-jsonschema"
    r"|actionlint) \S"
)

LAUNCHER = "tests/house/test_launcher.py"
HUB, RECORD = "tests/deployment/test_hub.py", "tests/classroom/test_recorded.py"
SITE, WORKFLOWS = "tests/deployment/test_site_live.py", "tests/deployment/test_workflows.py"
FORMAT, COMMAND = "tests/house/test_format.py", "tests/house/test_test_command.py"

# {command: what is run here, OUT in a folder of its own}. It must succeed, and print or write.
HERE = {
    "run.py class": "run.py class OUT",
    "python -m tools.copies": "-m tools.copies OUT",
    "python -m tools.questions": "-m tools.questions OUT.html",
    "python -m tools.key": "-m tools.key OUT.html",
    "python -m tools.minutes": "-m tools.minutes",
    "python -m tools.rehearse": "-m tools.rehearse",
    "python deploy/link.py": "deploy/link.py https://hub.example.org https://github.com/me/course",
}

# {command: (the test file that makes the call, the words with which it does)}
TESTED = {
    "run.py lab": (LAUNCHER, 'launcher.main("lab")'),
    "run.py lab --help": (LAUNCHER, 'launcher.main("lab", "--no-browser")'),  # it is passed on, too
    "run.py lab --no-browser": (LAUNCHER, 'launcher.main("lab", "--no-browser")'),
    "run.py lab --no-browser --port": (LAUNCHER, 'launch("lab", "--no-browser", *form'),
    "run.py lab --stored": (LAUNCHER, 'launcher.main("lab", "--no-browser", "--stored")'),
    "run.py lab --without-torch": (LAUNCHER, 'launcher.main("lab", "--without-torch")'),
    "run.py lab --offline": (LAUNCHER, 'launcher.main("lab", "--offline", '),
    "run.py wheelhouse": (LAUNCHER, 'launcher.main("wheelhouse", '),
    "run.py test": (LAUNCHER, 'launcher.main("test", "-x")'),
    "run.py check": (LAUNCHER, '("lab", "test", "notebooks", "check")'),
    "run.py notebooks": ("tests/notebooks/test_tool.py", "main("),
    "run.py slides": ("tests/browser/test_slides.py", "slides.write("),
    "pytest": (COMMAND, '"--collect-only", "-q", "notebooks"'),
    "ruff format": (FORMAT, "call(name, "),
    "ruff check": (FORMAT, "call(name, "),
    "python -m tools.newer": ("tests/house/test_papers.py", "newer.main("),
    "python -m minigrad.classroom.lessons.collect": (
        "tests/classroom/lessons/test_collect.py",
        '"minigrad.classroom.lessons.collect"',
    ),
    "python -m tools.record": (RECORD, "record.main("),
    "python -m tools.record --check": (RECORD, 'record.main(["--check"])'),
    "run.py site": (SITE, "live.build(folder)"),
    "run.py site --pyodide": (SITE, 'put_python(folder := tmp_path, "cdn")'),
    "python -m http.server --directory": (SITE, "Server(site)"),
    "python -m tools.addresses": (WORKFLOWS, "addresses.in_readme("),
    "python -m tools.release": (WORKFLOWS, "release.notes("),
    "jupyterhub": (HUB, '"-m", "jupyterhub", "-f", config'),
}

# {command: what it needs}, as the section that shows it says: "needs ..."
NEEDS = {
    "pip install": "package index",
    "uv venv": "uv",
    "uv pip": "uv",
    "uv run": "uv",
    "git clone": "address of a copy",
    "git commit": "repository of your own",
    "git push": "repository of your own",
    "git tag": "repository of your own",
    "check-jsonschema --builtin-schema": "package index",
    "python -m tools.site.check": "Chromium",
    "adduser": "root",
    "apt install": "root",
    "pre-commit install": "package index",
    "python -m venv": "package index",
    "source .venv/bin/activate": "package index",
    "jupyter lab": "package index",
    "python -m tools.grading": "package index",
    "python -m tools.mutation": "Cosmic Ray",
    "python -m tools.screenshots": "Chromium",
    "python benchmarks/diagnosis.py": "idle machine",
    "python benchmarks/engine.py": "idle machine",
    "python benchmarks/redraw.py": "idle machine",
    "python deploy/memory.py": "Linux",
}


def sections(page):
    """The text of a page, heading by heading, without what is commented out."""
    text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.split(r"^(?=#+ )", text, flags=re.MULTILINE)


def shown(text):
    """The commands in a text: lines of its code blocks, and inline code."""
    fenced = re.findall(r"^```(?:bash|sh|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.splitlines()]
    lines += re.findall(r"^ {4}(.*)$", prose, re.MULTILINE)
    lines += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]
    parts = [part.strip() for line in lines for part in line.split(" && ")]
    return [name(part) for part in parts if PROGRAM.match(part)]


def name(line):
    """A command as the tables name it: without its arguments, but for what it does."""
    line = re.split(r"\s{2,}|\s#\s", line)[0]  # what explains it stands behind
    words = [word for word in line.split() if word != "sudo" and not re.match(r"[A-Z_]+=", word)]
    program = re.sub(r"^python3?(\.\d+)?$", "python", words.pop(0).rpartition("/")[2])
    if program == "run.py":
        words.insert(0, program)
    elif program == "python" and words[:1] == ["-m"]:
        module = words[1]
        words = words[2:] if module in ("pip", "pytest") else ["python", "-m", module, *words[2:]]
        words = [module, *words] if module in ("pip", "pytest") else words
    elif program == "python" and words[0] != "run.py" or program != "python":
        words.insert(0, program)
    if words[0] in ("pytest", "jupyterhub", "adduser"):
        return words[0]
    if words[:2] == ["run.py", "test"]:
        return "run.py test"
    first = 3 if words[1:2] == ["-m"] else 2
    options = [word.partition("=")[0] for word in words[first:] if word.startswith("--")]
    asked = words[0] == "run.py" or words[:2] == ["python", "-m"]
    return " ".join([*words[:first], *(options if asked else ())])


FOUND = [
    (command, page, text) for page in PAGES for text in sections(page) for command in shown(text)
]
KNOWN = {**HERE, **TESTED, **NEEDS}


def test_every_command_that_is_shown_is_run_or_marked():
    unknown = {f"{command}   in {page.name}" for command, page, _ in FOUND if command not in KNOWN}
    assert not unknown, (
        "These commands are shown and no test runs them. Name each in this file: under HERE if it "
        "takes a second or two, under TESTED with the test that runs it, or under NEEDS, and say "
        '"needs ..." in the section that shows it.\n' + "\n".join(sorted(unknown))
    )


def test_no_command_is_kept_that_nothing_shows():
    assert len(KNOWN) == len(HERE) + len(TESTED) + len(NEEDS)  # each stands in one place
    assert sorted(set(KNOWN) - {command for command, _, _ in FOUND}) == []


@pytest.mark.parametrize("command", TESTED)
def test_the_test_that_is_named_makes_the_call(command):
    file, call = TESTED[command]
    assert call in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {call}"


@pytest.mark.parametrize("command", NEEDS)
def test_what_a_command_needs_is_said_where_it_is_shown(command):
    said = re.compile(rf"\bneeds?\b[^.]*\b{NEEDS[command]}\b", re.IGNORECASE)
    silent = [
        f"{page.name}: {text.splitlines()[0]}"
        for one, page, text in FOUND
        if one == command and not said.search(" ".join(text.split()))
    ]
    assert not silent, f'Say "needs {NEEDS[command]}" where {command} is shown: {silent}'


@pytest.mark.parametrize("command", HERE)
def test_a_command_that_takes_a_second_does_what_it_should(command, tmp_path):
    words = HERE[command].replace("OUT", str(tmp_path / "out")).split()
    run = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert list(tmp_path.iterdir()) if "OUT" in HERE[command] else run.stdout.strip()


def test_commands_are_found_in_blocks_and_in_sentences():
    text = """
Write `python3 run.py lab --stored` or `.venv/bin/python -m tools.key key.html`; not `backward(v)`.

    sudo MG=1 .venv/bin/jupyterhub -f deploy/hub.py    # explained
    python3 run.py test tests/engine -q
    a = torch.tensor(2.)

```bash
cd there && python3.13 run.py slides OUT
```
"""
    assert sorted(shown(text)) == [
        "jupyterhub",
        "python -m tools.key",
        "run.py lab --stored",
        "run.py slides",
        "run.py test",
    ]
