"""The front door of minigrad; it needs nothing but Python 3.11 or newer.

What a command needs is installed when it is first asked for, into the folder .venv beside this
file and nowhere else. Without a command this file prints what can be asked for.
"""

import sys

# Before any other import, and in syntax that old Pythons can parse, so that they print this.
if sys.version_info < (3, 11):
    sys.exit(
        "minigrad needs Python 3.11 or newer, and this is Python {}.{}. Install one from "
        "python.org and run this file with it.".format(*sys.version_info[:2])
    )

import ast
import hashlib
import os
import re
import shutil
import socket
import subprocess
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENV = ROOT / ".venv"
PYTHON = ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
UNFINISHED = ROOT / ".venv-unfinished"  # there from the start of an installation to its end
EXACT = "constraints.txt"  # the versions with which everything is tested
CPU_ONLY = "https://download.pytorch.org/whl/cpu"

# (group, (command, its arguments, what is installed for it, what it does) ...). Installed is an
# extra of pyproject.toml, besides requirements.txt; None: nothing is needed but this Python.
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
        ("collect", "FOLDER", "teach", "where a class went wrong, from what learners handed in"),
        ("site", "OUT", "site", "the book, and the course in a browser alone, as plain files"),
    ),
    (
        "To change it",
        ("notebooks", "[...]", "teach", "execute the lessons and store their outputs"),
        ("record", "", "teach", "store PyTorch's answers and the plots anew, or tell what differs"),
        ("minutes", "", "teach", "count how long the lessons take, and write it where it is told"),
        ("pictures", "[...]", "test", "photograph the widgets for the documentation"),
        ("test", "[...]", "test", "run every test; arguments go to pytest"),
        ("check", "[...]", "test", "format, lint and types, in seconds"),
        ("bench", "[NAME]", "test", "measure the engine, the widgets, the site, a class"),
        ("graders", "TOOL", "teach", "let nbgrader or otter-grader mark the example assignment"),
        ("release", "TAG", None, "the notes of a release, from CHANGELOG.md"),
    ),
    (
        "For other machines",
        ("wheelhouse", "DIR", None, "download what is installed, for a room without a network"),
        ("copies", "FOLDER", None, "a learner's copies alone, in an environment of your own"),
        ("hub", "", "hub", "a JupyterHub for a class on this machine"),
        ("link", "HUB REPOSITORY", None, "the address that brings a class folder onto a hub"),
    ),
)
# Where a command is written, if not in tools/ under its own name or in this file.
ELSEWHERE = {
    "class": "tools/class_folder.py",
    "graders": "tests/deployment/graders.py",
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
    """The file in which a command is written. A class folder has but a few of them."""
    if command in HERE:
        return Path(__file__)
    return ROOT / ELSEWHERE.get(command, "tools/{}.py".format(command))


def front(there):
    """What can be asked for, group by group."""
    lines = ["python3 run.py COMMAND ...      and python3 run.py COMMAND --help says more"]
    for group, *rows in COMMANDS:
        rows = [row for row in rows if row[0] in there]
        lines += ["", group] if rows else []
        for name, arguments, _, what in rows:
            lines.append("    {:<22}{}".format(name + " " + arguments, what))
    return "\n".join(lines)


def explanation(command):
    """A command's own help: the docstring of what is run, read without importing it."""
    if command in HERE:
        return textwrap.dedent(" " * 4 + HERE[command].__doc__).rstrip()
    return ast.get_docstring(ast.parse(source(command).read_text(encoding="utf-8")))


def start(python, command, rest):
    """Become the command, in the folder where its arguments were written."""
    module = source(command).relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT)] + others)
    become(python, "-P", "-m", module.replace(".__main__", ""), *rest)


# --- What is written here ------------------------------------------------------------------------


def lab(*rest):
    """Open your own copies of the lessons in JupyterLab: python3 run.py lab [...]

    The copies are in my-lessons/, without answers, and what you have written there is never
    overwritten. The first start installs what is needed (about 300 MB); later ones take seconds.

    --stored           open notebooks/ itself, outputs and all: for those who write lessons
    --slides           with live slides: a button Toggle Deck in a notebook's toolbar
    --without-torch    install 90 MB instead of 280; PyTorch's answers are then stored ones
    --offline DIR      install from a folder that run.py wheelhouse has filled

    Everything else goes to JupyterLab: --no-browser, --port 8890. Its own list: --help-all
    """
    rest = list(rest)
    stored, slides, light = (take(o, rest) for o in ("--stored", "--slides", "--without-torch"))
    wheels = take_value("--offline", rest)
    refuse_taken_port(rest)
    set_up("slides" if slides else "lab", torch=not light, wheels=wheels)
    share_settings()
    # Beside this file, or, where that is a disk that cannot be written, in the home folder.
    root = ROOT if os.access(str(ROOT), os.W_OK) else Path.home()
    folder = "notebooks" if stored else "my-lessons"
    if not stored and run(sys.executable, "-m", "tools.copies", root / folder):
        sys.exit("Your copies of the lessons could not be written to {}.".format(root / folder))
    first_page = "--LabApp.default_url=/lab/tree/{}/index.ipynb".format(folder)
    as_root = ["--allow-root"] if is_root() else []  # in a container; Jupyter insists on it
    become(
        PYTHON,
        "-m",
        "jupyterlab",
        first_page,
        "--ServerApp.root_dir={}".format(root),
        *as_root,
        *rest,
    )


def wheelhouse(*rest):
    """Download what the lessons need, for a room without a network: python3 run.py wheelhouse DIR

    Where there is no network, python3 run.py lab --offline DIR installs from that folder. Fill it
    on the same system and with the same Python. PyTorch is the CPU-only one.
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
        sys.exit("Not everything could be downloaded; pip says above why.")
    print("Filled. On the machine without a network:  python3 run.py lab --offline", folder)


def hub(*rest):
    """Start a JupyterHub for a class on this machine: sudo python3 run.py hub [...]

    It runs deploy/jupyterhub_config.py, as deploy/README.md explains, and needs root, for each
    learner is a user of this machine. MINIGRAD_HUB=http://0.0.0.0:8000 says where it is reached.
    Other arguments go to JupyterHub.
    """
    set_up("hub")
    become(PYTHON, "-m", "jupyterhub", "-f", ROOT / "deploy" / "jupyterhub_config.py", *rest)


HERE = {"lab": lab, "wheelhouse": wheelhouse, "hub": hub}


def take(option, arguments):
    """Whether an option of ours is among the arguments; they are left without it."""
    found = option in arguments
    if found:
        arguments.remove(option)
    return found


def take_value(option, arguments):
    """The folder named after an option of ours, or None; the arguments are left without both."""
    if option not in arguments:
        return None
    place = arguments.index(option)
    if place + 1 == len(arguments):
        sys.exit("{} needs the folder that run.py wheelhouse has filled.".format(option))
    del arguments[place]
    return Path(arguments.pop(place)).resolve()


def refuse_taken_port(arguments):
    """Stop if the port asked for is in use. (Unasked, JupyterLab takes the next free one.)"""
    asked = re.search(r"port[= ](\d{1,5})\b", " ".join(arguments))
    port = int(asked[1]) if asked else 0
    with socket.socket() as probe:
        if 0 < port < 65536 and probe.connect_ex(("127.0.0.1", port)) == 0:
            sys.exit(
                "Port {} is taken, perhaps by a JupyterLab that is still open. Close it, or "
                "name another: python3 run.py lab --port {}".format(port, port + 1)
            )


def share_settings():
    """Let JupyterLab save the widgets' state, and send what is done in its order and at once."""
    server, lab = "jupyter_server_config.py", "overrides.json"
    for name, folder in ((server, "etc/jupyter"), (lab, "share/jupyter/lab/settings")):
        ours, theirs = ROOT / "binder" / name, ENV / folder / name
        if not (theirs.exists() and theirs.read_bytes() == ours.read_bytes()):
            theirs.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ours, theirs)


# --- The environment -----------------------------------------------------------------------------

INCLUDES = {"test": ("lab", "teach", "site", "test")}  # what else is there with an extra
WITHOUT_TORCH = " without torch"
GIVES_UP_SOON = ("--retries=0", "--timeout=15")  # which uv does not know
FROM_CPU_ONLY = (*GIVES_UP_SOON, "--index-url", CPU_ONLY)


def set_up(extra, torch=True, wheels=None):
    """Install requirements.txt and an extra into .venv, unless exactly that has been done already.
    The extra "lab" is none: requirements.txt is all that the lessons need."""
    if PYTHON.exists() and (is_done(extra) or not torch and is_done(extra + WITHOUT_TORCH)):
        return
    print("Setting up", ENV, "(a minute or a few, the first time only) ...", flush=True)
    worked_before = any(ENV.glob("*.done"))
    make_environment()
    # On Linux the ordinary torch brings gigabytes of CUDA. Only torch is looked up in the other
    # index, once: an index that does not answer costs seconds for each package asked of it.
    if (
        torch
        and not wheels
        and sys.platform == "linux"
        and pip("--no-deps", *FROM_CPU_ONLY, torch_line())
    ):
        print("The CPU-only PyTorch is out of reach; taking the larger ordinary one.", flush=True)
    lines = [line for line in requirements() if torch or line != torch_line()]
    wanted = [word for line in lines for word in line.split()]
    wanted += ["-e", ".[{}]".format(extra)] * (extra != "lab")
    wanted += ["--no-index", "--find-links", wheels] if wheels else []
    failed = install_tested_versions(wanted)
    if not failed or failed > 0 and worked_before:  # what is there can be used and built upon
        UNFINISHED.unlink()
    if failed:
        sys.exit(
            "The packages could not be installed; pip says above why. Is this machine "
            "connected to the internet? The same command again takes it up from here."
        )
    # JupyterLab's question whether to fetch news has no place in a lesson.
    disable = ("jupyterlab.labextensions", "disable", "--level=sys_prefix")
    run(PYTHON, "-m", *disable, "@jupyterlab/apputils-extension:announcements", quiet=True)
    for name in INCLUDES.get(extra, ("lab", extra)):
        stamp = name if torch else name + WITHOUT_TORCH
        (ENV / (stamp + ".done")).write_text(fingerprint())


def install_tested_versions(wanted):
    """pip's exit code. The versions of constraints.txt, or what fits, where some of them are not to
    be had, as for a Python that is newer than they are. PIP_CONSTRAINT says otherwise."""
    if "PIP_CONSTRAINT" in os.environ:
        return pip(*wanted)
    if not pip("-c", EXACT, "--only-binary=:all:", *wanted):
        return 0
    print("The tested versions were not to be had; taking others that fit.", flush=True)
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
    """What an installation depends on: this Python, this folder, what is to be installed."""
    parts = [sys.version, str(ROOT)]
    parts += [read(name) for name in ("pyproject.toml", "requirements.txt", EXACT)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def make_environment():
    """Make .venv, or mend it; one whose installation was cut short is made anew."""
    command = [sys.executable, "-m", "venv", ENV] + ["--clear"] * UNFINISHED.exists()
    UNFINISHED.touch()
    why = "without it this Python makes no environments"
    if run(*command, quiet=True) and not (apt_install("python3-venv", why) and not run(*command)):
        sys.exit(
            "The environment could not be made. On Debian and Ubuntu 'apt install "
            "python3-venv' helps; elsewhere see what this says:\n    " + " ".join(map(str, command))
        )


def pip(*arguments):
    """Install by uv, where it is there and pip has not been told anything that uv would not know;
    otherwise, or if uv cannot, by pip."""
    uv = shutil.which("uv")
    if uv and not pip_settings():
        of_both = [one for one in arguments if one not in GIVES_UP_SOON]
        if not run(uv, "pip", "install", "--python", PYTHON, *of_both):
            return 0
    return run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments)


def pip_settings():
    """What pip has been told by its files and by variables: where to find packages, above all."""
    command = [PYTHON, "-m", "pip", "config", "list"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_install(package, why):
    """Install a Debian package where that may be done, after saying so; whether it was."""
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
    """Let the command take our place: keyboard and signals reach it, its exit code is ours."""
    command = [str(word) for word in command]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command again takes it up from here.")
