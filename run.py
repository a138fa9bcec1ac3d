"""The front door of minigrad. It needs nothing but Python 3.11 or newer.

What a command needs is installed the first time you use it, into the folder .venv beside this file.
(A Debian package that is missing is installed too, if you run this as root; it says so first.)
Without a command this file prints what there is.
"""

import sys

# Before any other import, and in syntax that old Pythons can parse, so that they print this.
if sys.version_info < (3, 11):
    sys.exit(
        "minigrad needs Python 3.11 or newer, and this is Python {}.{}. Install one from "
        "python.org and run this file with it.".format(*sys.version_info[:2])
    )

import argparse
import ast
import hashlib
import inspect
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENV = ROOT / ".venv"
PYTHON = ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
UNFINISHED = ROOT / ".venv-unfinished"  # there from the start of an installation to its end
EXACT = "constraints.txt"  # the versions with which everything is tested
CPU_ONLY = "https://download.pytorch.org/whl/cpu"

# (group, (command, its arguments, what is installed for it, what it does) ...). Beyond
# requirements.txt an extra of pyproject.toml is installed; None: this Python is enough.
COMMANDS = (
    (
        "To learn",
        ("lab", "[...]", None, "open your own copies of the lessons in JupyterLab"),
    ),
    (
        "To teach",
        ("class", "OUT", None, "a folder for a class: the lessons without answers"),
        ("slides", "OUT", "teach", "the lessons as slides that need no network"),
        ("papers", "OUT", "teach", "exam questions in variants, their key, and files for Moodle"),
        ("collect", "FOLDER", "teach", "where a class went wrong, from the files learners hand in"),
        ("site", "OUT", "site", "the book, and the course in a browser alone, as plain files"),
    ),
    (
        "To change it",
        ("notebooks", "[...]", "teach", "execute the lessons and store their outputs"),
        ("record", "", "teach", "record PyTorch's answers again, or list what differs"),
        ("minutes", "", "teach", "compute how long each lesson takes, and update what says so"),
        ("pictures", "[...]", "test", "photograph the widgets for the documentation"),
        ("test", "[...]", "test", "run every test; arguments go to pytest"),
        ("check", "[--fix]", "test", "format, lint and types, in seconds"),
        ("bench", "[NAME]", "test", "measure the engine, the widgets, the site, a class"),
        ("graders", "TOOL", "teach", "let nbgrader or otter-grader mark the example assignment"),
        ("release", "TAG", None, "the notes of a release, from CHANGELOG.md"),
    ),
    (
        "For other machines",
        ("wheelhouse", "DIR", None, "download what lab installs, for a room without a network"),
        ("copies", "FOLDER", None, "only a learner's copies, for an environment of your own"),
        ("hub", "", "hub", "a JupyterHub for a class on this machine"),
        ("link", "HUB REPOSITORY", None, "the link that brings a class folder onto a hub"),
    ),
)
# The file of each command that is neither tools/<command>.py nor a function below.
ELSEWHERE = {
    "class": "tools/class_folder.py",
    "graders": "tests/deployment/graders.py",
    "hub": "deploy/hub.py",
    "link": "deploy/link.py",
    "pictures": "tests/browser/pictures.py",
    "site": "tools/site/__main__.py",
}


def main(command="", *rest):
    there = {row[0]: row for _, *rows in COMMANDS for row in rows if source(row[0]).exists()}
    if command in ("", "help", "-h", "--help"):
        print(front(there))
    elif command not in there:
        sys.exit("Unknown command: {}\n\n{}".format(command, front(there)))
    elif rest[:1] in (("-h",), ("--help",)):
        print(explanation(command))
    elif command in HERE:
        HERE[command](*rest)
    else:
        _, _, extra, _ = there[command]
        if extra:
            set_up(extra)
        start(PYTHON if extra else sys.executable, command, rest)


def source(command):
    """The file a command is in. A class folder has only a few of them."""
    if command in HERE:
        return Path(__file__)
    return ROOT / ELSEWHERE.get(command, "tools/{}.py".format(command))


def front(there):
    """The commands, group by group."""
    lines = ["python3 run.py COMMAND ...      and python3 run.py COMMAND --help says more"]
    for group, *rows in COMMANDS:
        rows = [row for row in rows if row[0] in there]
        lines += ["", group] if rows else []
        for name, arguments, _, what in rows:
            lines.append("    {:<22}{}".format(name + " " + arguments, what))
    return "\n".join(lines)


def explanation(command):
    """A command's help: the docstring of what it runs, read without importing it."""
    if command in HERE:
        return inspect.getdoc(HERE[command])
    return ast.get_docstring(ast.parse(source(command).read_text(encoding="utf-8")))


def start(python, command, rest):
    """Run the command in our place, in the current folder: paths in its arguments stay right."""
    module = source(command).relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT)] + others)
    become(python, "-P", "-m", module.replace(".__main__", ""), *rest)


# --- Commands that are functions of this file ----------------------------------------------------


def lab(*rest):
    """Open your own copies of the lessons in JupyterLab: python3 run.py lab [...]

    The copies are in my-lessons/, without answers, and nothing you write there is ever overwritten.
    The first start installs what is needed (about 300 MB); later ones take seconds.

    --stored           open notebooks/ itself, with outputs: for authors of lessons
    --slides           add live slides: a button Toggle Deck in a notebook's toolbar
    --without-torch    install 90 MB instead of 300; PyTorch's answers are then recorded ones
    --offline DIR      install from a folder that run.py wheelhouse has filled

    All other arguments go to JupyterLab, such as --no-browser, --port 8890 or --help-all.
    """
    parser = argparse.ArgumentParser("python3 run.py lab", add_help=False, allow_abbrev=False)
    for option in ("--stored", "--slides", "--without-torch"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--offline", type=Path, metavar="DIR")
    asked, rest = parser.parse_known_args(rest)
    wheels = asked.offline and asked.offline.resolve()
    set_up("slides" if asked.slides else "lab", torch=not asked.without_torch, wheels=wheels)
    share_settings()
    # Beside this file or, if this folder cannot be written to, in the home folder.
    root = ROOT if os.access(str(ROOT), os.W_OK) else Path.home()
    folder = "notebooks" if asked.stored else "my-lessons"
    if not asked.stored and run(sys.executable, "-m", "tools.copies", root / folder):
        sys.exit("Your copies of the lessons could not be written to {}.".format(root / folder))
    first_page = "--LabApp.default_url=/lab/tree/{}/index.ipynb".format(folder)
    as_root = ["--allow-root"] if is_root() else []  # in a container; Jupyter insists on it
    jupyterlab = (PYTHON, "-P", "-m", "jupyterlab", first_page)
    become(*jupyterlab, "--ServerApp.root_dir={}".format(root), *as_root, *rest)


def wheelhouse(*rest):
    """Download what the lessons need, for a room without a network: python3 run.py wheelhouse DIR

    On a machine without a network, python3 run.py lab --offline DIR installs from it. Fill it
    on the same kind of system, with the same Python. On Linux you get the CPU-only PyTorch.
    """
    if len(rest) != 1:
        sys.exit("Name one folder: python3 run.py wheelhouse DIR")
    folder = Path(rest[0]).resolve()
    make_environment()
    UNFINISHED.unlink()
    download = (PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "-d", folder)
    if sys.platform == "linux":
        run(*download, "--no-deps", *FROM_CPU_ONLY, torch_line())
    others = [line for line in requirements() if not line.startswith("-e")]
    found = ["--find-links", folder, "-c", EXACT]
    if run(*download, *found, *others, "setuptools>=77", "wheel"):
        sys.exit("Not everything could be downloaded; pip says why above.")
    print("Done. On the machine without a network:  python3 run.py lab --offline", folder)


HERE = {"lab": lab, "wheelhouse": wheelhouse}


def share_settings():
    """Let JupyterLab save the widgets' state, and handle their messages in order and at once."""
    server, lab = "jupyter_server_config.py", "overrides.json"
    for name, folder in ((server, "etc/jupyter"), (lab, "share/jupyter/lab/settings")):
        ours, theirs = ROOT / "binder" / name, ENV / folder / name
        if not (theirs.exists() and theirs.read_bytes() == ours.read_bytes()):
            theirs.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ours, theirs)


# --- The environment -----------------------------------------------------------------------------

INCLUDES = {"test": ("lab", "teach", "site", "test")}  # extras that an extra brings along
WITHOUT_TORCH = " without torch"
GIVES_UP_SOON = ("--retries=0", "--timeout=15")  # uv has no such options
FROM_CPU_ONLY = (*GIVES_UP_SOON, "--index-url", CPU_ONLY)


def set_up(extra, torch=True, wheels=None):
    """Install requirements.txt and an extra into .venv, unless that has been done already. "lab"
    stands for no extra: the lessons need only requirements.txt."""
    if PYTHON.exists() and (is_done(extra) or not torch and is_done(extra + WITHOUT_TORCH)):
        return
    print("Setting up", ENV, "(a minute or a few, the first time only) ...", flush=True)
    worked_before = any(ENV.glob("*.done"))
    make_environment()
    # On Linux the ordinary torch brings gigabytes of CUDA, so torch comes from PyTorch's CPU-only
    # index; nothing else is looked up there, because a slow index costs seconds per package.
    if (
        torch
        and not wheels
        and sys.platform == "linux"
        and pip("--no-deps", *FROM_CPU_ONLY, torch_line())
    ):
        print("The CPU-only PyTorch cannot be reached; taking the larger one.", flush=True)
    lines = [line for line in requirements() if torch or line != torch_line()]
    wanted = [word for line in lines for word in line.split()]
    wanted += ["-e", ".[{}]".format(extra)] * (extra != "lab")
    wanted += ["--no-index", "--find-links", wheels] if wheels else []
    failed = install_tested_versions(wanted)
    if not failed or failed > 0 and worked_before:  # what is there still works
        UNFINISHED.unlink()
    if failed:
        sys.exit(
            "The packages could not be installed; pip says why above. Is this machine "
            "connected to the internet? Run the same command again."
        )
    # Don't let JupyterLab ask whether it may fetch news.
    disable = ("jupyterlab.labextensions", "disable", "--level=sys_prefix")
    run(PYTHON, "-m", *disable, "@jupyterlab/apputils-extension:announcements", quiet=True)
    for name in INCLUDES.get(extra, ("lab", extra)):
        stamp = name if torch else name + WITHOUT_TORCH
        (ENV / (stamp + ".done")).write_text(fingerprint())


def install_tested_versions(wanted):
    """pip's exit code. Install the versions of constraints.txt or, if some are not available, as
    for a newer Python, versions that fit. PIP_CONSTRAINT overrides both."""
    if "PIP_CONSTRAINT" in os.environ:
        return pip(*wanted)
    if not pip("-c", EXACT, "--only-binary=:all:", *wanted):
        return 0
    print("The tested versions are not available here; taking others that fit.", flush=True)
    return pip(*wanted)


def requirements():
    """The lines of requirements.txt, without comments."""
    return [line for line in read("requirements.txt").splitlines() if line and line[0] != "#"]


def torch_line():
    return next(line for line in requirements() if "torch==" in line)


def is_done(stamp):
    file = ENV / (stamp + ".done")
    return file.exists() and file.read_text() == fingerprint()


def fingerprint():
    """A hash of what an installation depends on: this Python, this folder, the packages."""
    parts = [sys.version, str(ROOT)]
    parts += [read(name) for name in ("pyproject.toml", "requirements.txt", EXACT)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def make_environment():
    """Make or update .venv; if its installation was cut short, start from scratch."""
    command = [sys.executable, "-m", "venv", ENV] + ["--clear"] * UNFINISHED.exists()
    UNFINISHED.touch()
    why = "this Python needs it to make environments"
    if run(*command, quiet=True) and not (apt_install("python3-venv", why) and not run(*command)):
        sys.exit(
            "The environment could not be made. On Debian and Ubuntu, 'apt install "
            "python3-venv' helps; elsewhere, see what this says:\n    "
            + " ".join(map(str, command))
        )


def pip(*arguments):
    """Install with uv, if it is there and pip has no settings that uv would not know; otherwise, or
    if uv fails, with pip."""
    uv = shutil.which("uv")
    if uv and not pip_settings():
        of_both = [one for one in arguments if one not in GIVES_UP_SOON]
        if not run(uv, "pip", "install", "--python", PYTHON, *of_both):
            return 0
    return run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments)


def pip_settings():
    """pip's settings from files and environment variables: above all, where it finds packages."""
    command = [PYTHON, "-m", "pip", "config", "list"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_install(package, why):
    """Install a Debian package, if we are root, after saying so; whether it was installed."""
    if not (is_root() and shutil.which("apt-get")):
        return False
    print("Installing Debian's package {} by apt-get: {} ...".format(package, why), flush=True)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    return not run("apt-get", "update", quiet=True) and not run(
        "apt-get", "install", "-y", "--no-install-recommends", package, quiet=True
    )


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*command, quiet=False):
    """Run a command in the project's folder; its exit code."""
    out = subprocess.DEVNULL if quiet else None
    return subprocess.call([str(word) for word in command], cwd=ROOT, stdout=out, stderr=out)


def become(*command):
    """Let the command take our place: it gets the keyboard and signals, and sets the exit code."""
    command = [str(word) for word in command]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("Stopped. Run the same command again.")
