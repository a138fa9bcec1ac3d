"""run.py, the one front door: what can be asked for, clear sentences where it cannot go on, and no
second set-up."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = (ROOT / "run.py").read_text(encoding="utf-8")


def launch(*arguments, **environment):
    return subprocess.run(
        [sys.executable, ROOT / "run.py", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def launcher_module():
    spec = importlib.util.spec_from_file_location("launcher", ROOT / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def launcher(tmp_path, monkeypatch):
    """run.py as a module, for a project in tmp_path; `.commands` is what it would have run."""
    module = launcher_module()
    for name in ("pyproject.toml", "requirements.txt", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "binder").mkdir()
    for name in ("overrides.json", "jupyter_server_config.py"):
        (tmp_path / "binder" / name).write_bytes((ROOT / "binder" / name).read_bytes())
    monkeypatch.setattr(module, "ROOT", tmp_path)
    for name in NAMES:  # what is run is never run here, but has to be there
        module.source(name).parent.mkdir(parents=True, exist_ok=True)
        module.source(name).touch()
    monkeypatch.setattr(module, "ENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "python")
    monkeypatch.setattr(module, "UNFINISHED", tmp_path / ".venv-unfinished")
    monkeypatch.delenv("PIP_CONSTRAINT", raising=False)
    monkeypatch.setattr(module, "pip_settings", lambda: "told")  # no uv of this machine is asked
    monkeypatch.setenv("PYTHONPATH", "")  # what a command adds to it is undone
    module.commands, module.fails, module.interrupted = [], (lambda command: 0), None
    module.copied = []

    def run(*command, quiet=False):
        command = " ".join(map(str, command))
        if "tools.copies" in command:
            module.copied.append(command.split()[-1])
            return 0
        module.commands.append(command)
        if module.interrupted and module.interrupted in command:
            raise KeyboardInterrupt
        if "-m venv" in command:
            (tmp_path / ".venv").mkdir(exist_ok=True)
            (tmp_path / ".venv" / "python").touch()
        return module.fails(command)

    def become(*command):
        module.commands.append("become " + " ".join(map(str, command)))

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "become", become)
    return module


def test_it_is_short_and_needs_the_standard_library_alone():
    assert len(SOURCE.splitlines()) <= 400  # a third of it is the table and the help
    imports = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import)]
    origins = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in imports for alias in node.names] + [o.module for o in origins]
    assert names and set(names) <= sys.stdlib_module_names


def test_an_old_python_reads_it_far_enough_to_be_refused():
    """Nothing in the file is newer than Python 3.5, and the refusal comes before other imports."""
    tree = ast.parse(SOURCE)
    newer = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Match, ast.TryStar)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]
    kinds = [type(node) for node in tree.body[:3]]
    assert kinds == [ast.Expr, ast.Import, ast.If]  # docstring, import sys, the refusal
    as_if_old = "import sys; sys.version_info = (3, 8, 1); exec(open(sys.argv[1]).read())"
    run = subprocess.run(
        [sys.executable, "-c", as_if_old, ROOT / "run.py"], capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stderr.startswith("minigrad needs Python 3.11 or newer, and this is Python 3.8.")
    assert run.stderr.count("\n") == 1


ROWS = [
    row
    for node in ast.parse(SOURCE).body
    if isinstance(node, ast.Assign) and node.targets[0].id == "COMMANDS"
    for _, *rows in ast.literal_eval(node.value)
    for row in rows
]
NAMES = [row[0] for row in ROWS]


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_alone_it_prints_in_four_groups_what_can_be_asked_for(arguments):
    run = launch(*arguments)
    assert run.returncode == 0
    groups = re.split(r"\n\n", run.stdout.strip())[1:]
    assert len(groups) == 4 and len(NAMES) == len(set(NAMES))
    shown = [line.split()[0] for group in groups for line in group.splitlines()[1:]]
    assert shown == NAMES
    assert max(map(len, run.stdout.splitlines())) <= 100


def test_a_command_is_written_where_it_is_looked_for_and_its_packages_are_an_extra():
    module = launcher_module()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name, _, extra, _ in ROWS:
        assert module.source(name).exists(), name
        assert extra is None or extra in extras["optional-dependencies"], name
    for extra in module.INCLUDES["test"]:
        assert extra in ("lab", "test") or f"minigrad[{extra}]" in str(extras)


@pytest.mark.parametrize("name", ["tset", "Lab"])
def test_an_unknown_command_is_answered_with_the_known_ones(name):
    run = launch(name)
    assert run.returncode == 1
    assert run.stderr.startswith(f"Unknown command: {name}\n") and "    lab " in run.stderr


def test_only_what_is_there_is_offered(tmp_path):
    """In a class folder there are few of the tools."""
    for name in ("run.py", "tools/copies.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    bare = [sys.executable, tmp_path / "run.py"]
    shown = subprocess.run(bare, capture_output=True, text=True).stdout
    assert re.findall(r"^ {4}(\w+)", shown, re.M) == ["lab", "wheelhouse", "copies"]
    refused = subprocess.run([*bare, "papers"], capture_output=True, text=True)
    assert refused.stderr.startswith("Unknown command: papers")


def test_a_command_runs_where_its_arguments_were_written(tmp_path):
    """And finds the project, whatever folder of the same name lies there."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "copies.py").write_text("raise SystemExit('another project')")
    command = [sys.executable, ROOT / "run.py", "copies", "mine"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "mine" / "index.ipynb").exists()


def test_without_network_it_says_so_and_leaves_no_false_success(tmp_path):
    for name in ("run.py", "pyproject.toml", "requirements.txt", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "binder").mkdir()
    for name in ("overrides.json", "jupyter_server_config.py"):
        (tmp_path / "binder" / name).write_bytes((ROOT / "binder" / name).read_bytes())
    # The pip of this test finds no package anywhere: no index answers, no folder holds wheels.
    closed = "http://127.0.0.1:9"
    nowhere = {
        "PIP_INDEX_URL": f"{closed}/simple",
        "PIP_FIND_LINKS": str(tmp_path),
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        "PIP_PROXY": closed,
    }
    run = subprocess.run(
        [sys.executable, tmp_path / "run.py", "lab"],
        capture_output=True,
        text=True,
        env={**os.environ, **nowhere},
    )
    assert run.returncode == 1
    assert run.stderr.endswith("connected to the internet? Run the same command again.\n")
    assert not list((tmp_path / ".venv").glob("*.done"))


def test_set_up_happens_once(launcher):
    launcher.main("lab", "--no-browser")
    assert any("-m venv" in command for command in launcher.commands)
    assert launcher.commands[-1].startswith("become")
    first_page = re.search(r"default_url=/lab/tree/(\S+)", launcher.commands[-1])[1]
    assert first_page == "my-lessons/index.ipynb"
    assert set(launcher.copied) == {str(launcher.ROOT / "my-lessons")}
    assert launcher.commands[-1].endswith("--no-browser")
    launcher.commands.clear()
    launcher.main("lab")
    assert len(launcher.commands) == 1  # nothing but to open the lab


def test_the_lab_saves_the_widgets_state_and_keeps_their_messages_in_one_thread(launcher, tmp_path):
    launcher.main("lab")
    settings = json.loads(
        (tmp_path / ".venv/share/jupyter/lab/settings/overrides.json").read_text()
    )
    assert settings["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"] is True
    kernels = settings["@jupyterlab/apputils-extension:kernels-settings"]
    assert kernels["commsOverSubshells"] == "disabled"


def test_the_tests_need_more_than_the_lab_and_include_it(launcher):
    launcher.main("lab")
    launcher.commands.clear()
    launcher.main("test", "-x")
    assert any(command.endswith("-e .[test]") for command in launcher.commands)
    assert launcher.commands[-1].endswith(" tools.test -x")
    launcher.commands.clear()
    for command in ("lab", "test", "notebooks", "site", "check"):
        launcher.main(command)
    assert len(launcher.commands) == 5
    assert launcher.commands[-1].endswith(" tools.check")


def test_a_lecturer_installs_what_a_lecturer_needs_and_a_hub_what_it_needs(launcher):
    launcher.main("papers", "OUT")
    assert any(command.endswith("-e .[teach]") for command in launcher.commands)
    launcher.main("hub", "--debug")
    assert any(command.endswith("-e .[hub]") for command in launcher.commands)
    assert launcher.commands[-1].endswith("deploy.hub --debug")
    launcher.main("lab", "--slides")
    assert any(command.endswith("-e .[slides]") for command in launcher.commands)
    assert "become" in launcher.commands[-1] and "--slides" not in launcher.commands[-1]


def test_nothing_is_installed_for_what_needs_nothing(launcher):
    launcher.main("class", "OUT")
    launcher.main("release", "v1.0.0")
    launcher.main("link", "https://hub.example.org", "https://example.org/a/b")
    modules = [command.partition(" -m ")[2] for command in launcher.commands]
    assert [one.split()[0] for one in modules] == [
        "tools.class_folder",
        "tools.release",
        "deploy.link",
    ]


def test_the_tested_versions_are_asked_for_and_else_those_that_fit(launcher, monkeypatch):
    launcher.fails = lambda command: "-c constraints.txt" in command
    launcher.main("lab")
    [*_, first, second] = [command for command in launcher.commands if " install " in command]
    assert "-c constraints.txt" in first and "--only-binary=:all:" in first
    assert "constraints" not in second and second.endswith("-e .")
    monkeypatch.setenv("PIP_CONSTRAINT", "constraints-oldest.txt")  # as the workflows do
    launcher.commands.clear()
    launcher.main("test")
    assert not any("-c constraints.txt" in command for command in launcher.commands)


def test_uv_installs_where_it_is_and_pip_what_it_cannot(launcher, monkeypatch):
    monkeypatch.setattr(launcher.shutil, "which", lambda name: "/uv" if name == "uv" else None)
    monkeypatch.setattr(launcher, "pip_settings", str)  # it has been told nothing
    launcher.main("lab")
    installed = [command for command in launcher.commands if " install " in command]
    assert installed and all(
        command.startswith("/uv pip install --python") for command in installed
    )
    assert not any("--retries" in command for command in installed)  # which uv does not know
    (launcher.ENV / "lab.done").unlink()
    launcher.commands.clear()
    launcher.fails = lambda command: command.startswith("/uv")
    launcher.main("lab")
    by_pip = [command for command in launcher.commands if " -m pip install " in command]
    assert len(by_pip) == len(installed) and (launcher.ENV / "lab.done").exists()


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.txt", "constraints.txt"])
def test_a_changed_list_of_packages_is_installed(launcher, name):
    launcher.main("lab")
    launcher.commands.clear()
    with open(launcher.ROOT / name, "a") as file:
        file.write("# changed\n")
    launcher.main("lab")
    assert any("install" in command for command in launcher.commands)


@pytest.mark.parametrize("where", ["-m venv", "torch==", "-c constraints.txt"])
def test_an_installation_cut_short_is_made_anew(launcher, where):
    launcher.interrupted = where
    with pytest.raises(KeyboardInterrupt):
        launcher.main("lab")
    launcher.interrupted = None
    launcher.commands.clear()
    launcher.main("lab")
    assert launcher.commands[0].endswith("--clear")
    assert "become" in launcher.commands[-1]
    launcher.commands.clear()
    launcher.main("lab")
    assert len(launcher.commands) == 1


def test_failing_to_add_the_tests_spares_the_lab(launcher):
    launcher.main("lab")
    launcher.fails = lambda command: ".[test]" in command
    with pytest.raises(SystemExit):
        launcher.main("test")
    launcher.commands.clear()
    launcher.main("lab")
    assert len(launcher.commands) == 1
    launcher.fails = lambda command: 0
    launcher.main("test")
    assert not any("--clear" in command for command in launcher.commands)


def test_only_torch_is_asked_of_the_cpu_index_and_the_pin_is_the_fallback(launcher, monkeypatch):
    monkeypatch.setattr(launcher.sys, "platform", "linux")
    launcher.fails = lambda command: launcher.CPU_ONLY in command
    launcher.main("lab")
    [first, second] = [command for command in launcher.commands if " install " in command]
    assert launcher.CPU_ONLY in first and first.endswith(" torch==2.13.0")
    assert "--retries=0" in first and "--no-deps" in first
    assert " torch==2.13.0 " in second and launcher.CPU_ONLY not in second
    assert "become" in launcher.commands[-1]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_torch_is_cpu_only_anyway(launcher, monkeypatch, platform):
    monkeypatch.setattr(launcher.sys, "platform", platform)
    launcher.main("lab")
    assert not any(launcher.CPU_ONLY in command for command in launcher.commands)


def test_a_python_without_venv_is_explained(launcher, monkeypatch):
    launcher.fails = lambda command: "-m venv" in command
    monkeypatch.setattr(launcher, "apt_install", lambda package, why: False)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        launcher.main("lab")


def test_who_writes_lessons_opens_the_stored_ones(launcher):
    launcher.main("lab", "--no-browser", "--stored")
    assert launcher.copied == [] and "--stored" not in launcher.commands[-1]
    assert launcher.commands[-1].endswith("--no-browser")
    assert "/lab/tree/notebooks/index.ipynb" in launcher.commands[-1]


def test_without_torch_all_else_is_installed_once_and_with_torch_later(launcher):
    launcher.main("lab", "--without-torch")
    installed = [command for command in launcher.commands if " install " in command]
    assert installed and "torch==" not in " ".join(installed) and "jupyterlab>=" in installed[-1]
    assert installed[-1].endswith("-e .")
    launcher.commands.clear()
    launcher.main("lab", "--without-torch")
    assert len(launcher.commands) == 1  # JupyterLab itself
    launcher.main("lab")  # now it is wanted
    assert [command for command in launcher.commands if "torch==2.13.0" in command]
    launcher.commands.clear()
    launcher.main("lab", "--without-torch")  # what is there is enough
    assert len(launcher.commands) == 1


def test_offline_only_the_folder_is_asked(launcher, tmp_path, capsys):
    launcher.main("lab", "--offline", str(tmp_path / "wheels"))
    installed = [command for command in launcher.commands if " install " in command]
    assert len(installed) == 1 and "--index-url" not in installed[0]
    assert installed[0].endswith(f"-e . --no-index --find-links {tmp_path / 'wheels'}")
    with pytest.raises(SystemExit):
        launcher.main("lab", "--offline")
    assert "--offline: expected one argument" in capsys.readouterr().err


def test_a_disk_that_cannot_be_written_has_its_copies_at_home(launcher, monkeypatch, tmp_path):
    monkeypatch.setattr(launcher.os, "access", lambda path, mode: False)
    monkeypatch.setattr(launcher.Path, "home", lambda: tmp_path / "home")
    launcher.main("lab")
    assert launcher.copied == [str(tmp_path / "home" / "my-lessons")]
    assert f"--ServerApp.root_dir={tmp_path / 'home'}" in launcher.commands[-1]


def test_a_wheelhouse_takes_the_cpu_torch_and_all_else(launcher, monkeypatch, tmp_path):
    monkeypatch.setattr(launcher.sys, "platform", "linux")
    launcher.main("wheelhouse", str(tmp_path / "wheels"))
    torch, others = [command for command in launcher.commands if " download " in command]
    assert torch.endswith("torch==2.13.0") and "--no-deps" in torch
    assert "jupyterlab>=" in others and "-e ." not in others and "setuptools" in others
    with pytest.raises(SystemExit, match="Name one folder"):
        launcher.main("wheelhouse")


def test_apt_is_asked_for_nothing_without_a_word_and_a_reason(launcher, monkeypatch, capsys):
    monkeypatch.setattr(launcher, "is_root", lambda: True)
    monkeypatch.setattr(launcher.shutil, "which", lambda name: name)
    said = []
    monkeypatch.setattr(launcher, "run", lambda *words, quiet: said.append(capsys.readouterr().out))
    assert launcher.apt_install("chromium", "the browser tests need one")
    assert (
        "chromium" in said[0] and "apt-get" in said[0] and "the browser tests need one" in said[0]
    )
    monkeypatch.setattr(launcher, "is_root", lambda: False)
    assert not launcher.apt_install("chromium", "the browser tests need one") and len(said) == 2
