"""What every file of the project must keep to, and that the lists of packages agree."""

import doctest
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import minigrad
from tests.cases import over

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IGNORED = re.compile(
    "|".join(
        re.escape(line.strip("/")).replace(r"\*", ".*")
        for line in (ROOT / ".gitignore").read_text().splitlines()
        if line and line[0] != "#"
    )
)

# A folder of somebody's account or machine, on Linux, macOS and Windows.
MACHINE_PATH = re.compile(
    r"(?<![\w.:>)}\]/])/(?:home|Users|root|opt|work|mnt|tmp)/[\w.]"
    r"|\b[A-Z]:\\+Users\\+\w"
)


def project_files():
    """Every file that is, or could be, committed."""
    folders = [ROOT]
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.name == ".git" or IGNORED.fullmatch(path.name):
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


@pytest.mark.parametrize(
    "text, found",
    [
        ("see /home/" + "ada/x.py", True),
        ('"/Users/' + 'ada"', True),
        ("C:\\Users\\" + "ada", True),
        ("File /opt/" + "venv/lib", True),
        ("at /tmp/" + "ipykernel_3/4.py", True),
        ("https://example.org/home/page", False),
        ("/usr/bin/chromium", False),
        ("and/or", False),
    ],
)
def test_paths_of_a_machine_are_recognised(text, found):
    assert bool(MACHINE_PATH.search(text)) == found


def test_no_file_holds_a_path_of_a_machine():
    held = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        held += [
            f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
            for line in text.splitlines()
            if MACHINE_PATH.search(line)
        ]
    assert not held


def requirements(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_lists_of_packages_agree():
    """requirements.txt is what people read and Binder installs; it repeats the project's own."""
    listed = requirements("requirements.txt")
    assert {"torch==2.13.0", "-e ."} <= set(listed)
    extras = PROJECT["optional-dependencies"]
    assert set(PROJECT["dependencies"]) | set(extras["classroom"]) <= set(listed)
    named = {re.match(r"[\w.-]*", line)[0]: line for line in listed}
    assert {"jupyterlab", "numpy", "matplotlib", "ipywidgets", "torch", "nbval"} <= set(named)
    assert named["nbval"] in extras["test"]
    assert {"minigrad[site]", "minigrad[teach]"} <= set(extras["test"])


def test_the_engine_depends_on_numpy_alone():
    assert [re.match(r"\w+", line)[0] for line in PROJECT["dependencies"]] == ["numpy"]


def test_there_is_one_version():
    assert minigrad.__version__ == PROJECT["version"] == version("minigrad")


def test_a_wheel_holds_the_package_and_its_data(tmp_path):
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(tmp_path)!r})"
    source = tmp_path / "source"
    for path in project_files():
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    run = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    [wheel] = tmp_path.glob("minigrad-*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kinds = (".py", ".jsonl", ".css", ".js", ".txt")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in project_files()
        if path.is_relative_to(ROOT / "minigrad") and path.suffix in kinds
    }
    assert held == wanted
    assert any(name.endswith(".jsonl") for name in held)


def test_no_test_is_skipped():
    """A test left out where something is missing hides that it is missing. Only a system that
    cannot do a thing at all may be a reason; the hub's test makes users, which only root may."""
    skipping = re.compile(
        r"\b(importorskip|pytest\.skip|mark\.skip|xfail"
        r"|skipif(?!\(os\.name ==))\b"
    )
    tests = [path for path in project_files() if path.is_relative_to(ROOT / "tests")]
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in tests
        if path.suffix == ".py" and path.name not in (Path(__file__).name, "test_hub.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if skipping.search(line)
    ]
    assert tests and not found


def test_no_test_waits_for_seconds_takes_a_port_later_or_is_run_again():
    """Such a test passes on an idle machine alone; a port chosen first may be taken by others."""
    hasty = re.compile(r"wait_for_timeout\(|\bstart_new_kernel\b|\bmark\.flaky\b|\bfree_port\b")
    tests = [path for path in project_files() if path.is_relative_to(ROOT / "tests")]
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in tests
        if path.name.startswith("test_") and path.name != Path(__file__).name
        for line in path.read_text(encoding="utf-8").splitlines()
        if hasty.search(line)
    ]
    assert tests and not found


def test_the_readme_shows_what_really_happens():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(>>>.*?)```", text, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README.md", None, 0)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


TEXTS = [
    path
    for path in project_files()
    if path.suffix == ".md" and path.parent.name != "templates"  # is filled in, and put elsewhere
]


@over("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_that_is_linked_is_there(path):
    text = re.sub(r"`[^`]*`|^    .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    links = re.findall(r"\]\(([^):#\s]+)(?:#[\w-]*)?\)", text)
    # ../../actions is a page of GitHub's, beside the project in every copy of it
    links = [link for link in links if not link.startswith("../../actions/")]
    assert [link for link in links if not (path.parent / link).exists()] == []
