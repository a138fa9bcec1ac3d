"""What Binder will do with this project, asked of repo2docker itself: no docker, no network."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import repo2docker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from repo2docker.app import Repo2Docker
from repo2docker.buildpacks import PythonBuildPack

ROOT = Path(__file__).resolve().parents[2]
CPU_ONLY = "--extra-index-url https://download.pytorch.org/whl/cpu"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of what Binder looks at, with the copy as the current folder."""
    shutil.copytree(ROOT / "binder", tmp_path / "binder")
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build_pack():
    """What Binder takes the current folder for: the first of its build packs that accepts it."""
    app = Repo2Docker()
    candidates = (kind(base_image=app.base_image) for kind in app.buildpacks)
    pack = next(pack for pack in candidates if pack.detect())
    pack.platform = "linux/amd64"
    return pack


def dockerfile():
    return build_pack().render({"NB_USER": "jovyan", "NB_UID": "1000"})


def lines_read_by_pip(name):
    """The lines of a requirements file, those it includes in their place."""
    for line in Path(name).read_text().splitlines():
        if line.startswith("-r "):
            yield from lines_read_by_pip(Path(name).parent / line[3:])
        elif line and not line.startswith("#"):
            yield line


def test_it_is_a_python_project_on_python_3_11(project):
    pack = build_pack()
    assert type(pack) is PythonBuildPack
    assert pack.python_version == "3.11"
    requires = tomllib.loads((project / "pyproject.toml").read_text())["project"]["requires-python"]
    assert SpecifierSet(requires).contains(pack.python_version)


def test_it_installs_what_a_learner_needs_from_the_whole_project(project):
    text = dockerfile()
    [install] = re.findall(r"^RUN .*pip install (.*)$", text, re.MULTILINE)
    assert install == '--no-cache-dir -r "binder/requirements.txt"'
    # "-e ." can only be installed once the project is there.
    assert text.index("COPY --chown=1000:1000 src/ ${REPO_DIR}/") < text.index(install)
    lines = list(lines_read_by_pip("binder/requirements.txt"))
    assert lines[0] == CPU_ONLY  # or torch brings gigabytes of CUDA
    assert {"torch==2.13.0", "-e ."} <= set(lines)
    names = {re.match(r"[\w.-]+", line)[0] for line in lines if line[0] != "-"}
    assert names == {
        "torch",
        "numpy",
        "matplotlib",
        "anywidget",
        "ipywidgets",
        "jupyterlab",
        "nbval",
    }


def test_it_runs_our_two_scripts(project):
    text = dockerfile()
    assert re.search(r"^RUN \./binder/postBuild$", text, re.MULTILINE)
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in text


def test_binders_own_jupyterlab_is_enough(project):
    """Ours may not ask for a newer JupyterLab than the frozen one, which would be replaced."""
    lock = (
        Path(repo2docker.__file__).parent
        / "buildpacks"
        / "conda"
        / "environment.py-3.11-linux-64.lock"
    ).read_text()
    lines = Path("requirements.txt").read_text().splitlines()
    wanted = {
        requirement.name: requirement.specifier
        for requirement in map(Requirement, (line for line in lines if line[:1].isalpha()))
    }
    for name in ("jupyterlab", "ipywidgets"):
        [frozen] = re.findall(rf"/{name}-(\d[\d.]*)-", lock)
        assert wanted[name].contains(frozen), f"Binder has {name} {frozen}"


@pytest.mark.parametrize("runtime", ["python-3.11.7", "3.11", "python-3.99", "python 3.11"])
def test_a_bad_runtime_is_refused(project, runtime):
    (project / "binder" / "runtime.txt").write_text(runtime)
    with pytest.raises((ValueError, RuntimeError)):
        dockerfile()


def test_an_environment_file_would_silently_win(project):
    """Why there must never be one: it would hide binder/requirements.txt."""
    assert not (project / "binder" / "environment.yml").exists()
    (project / "binder" / "environment.yml").write_text("dependencies: [numpy]")
    assert type(build_pack()) is not PythonBuildPack


def test_there_is_no_second_binder_folder():
    assert not (ROOT / ".binder").exists()


def test_start_gives_one_thread_and_passes_the_command_on():
    show = "import os, sys; print(os.environ['OMP_NUM_THREADS'], sys.argv[1:])"
    run = subprocess.run(
        ["bash", ROOT / "binder" / "start", sys.executable, "-c", show, "--ip", "a b"],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )
    assert run.stdout == "1 ['--ip', 'a b']\n"
    failing = [sys.executable, "-c", "raise SystemExit(3)"]
    assert subprocess.run(["bash", ROOT / "binder" / "start", *failing]).returncode == 3


def run_post_build(folder, **environment):
    """postBuild, with this Python as `python`, whose environment it takes for one in `folder`, and
    a `jupyter` that only notes what it is told. Other tests are using the real environment."""
    prefix = f'[ "$2" = "import sys; print(sys.prefix)" ] && echo "{folder / "prefix"}"'
    for name, text in {
        "python": f'{prefix} || exec "{sys.executable}" "$@"',
        "jupyter": f'echo "$@" >> "{folder}/told"',
    }.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return subprocess.run(
        ["bash", ROOT / "binder" / "postBuild"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, **environment},
    )


def test_post_build_silences_the_news_and_tries_what_lessons_import(tmp_path):
    run = run_post_build(tmp_path)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "told").read_text().split()[:2] == ["labextension", "disable"]
    for folder, name in (
        ("share/jupyter/lab/settings", "overrides.json"),
        ("etc/jupyter", "jupyter_server_config.py"),
    ):
        copied = tmp_path / "prefix" / folder / name
        assert copied.read_bytes() == (ROOT / "binder" / name).read_bytes()


def test_post_build_fails_where_the_lessons_would(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    run = run_post_build(tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert run.returncode != 0 and "no torch here" in run.stderr
