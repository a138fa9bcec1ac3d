"""Set up minigrad and start it; needs nothing but Python 3.11 or newer.

    python3 run.py lab [...]         open your own copies of the lessons (... goes to jupyter lab)
    python3 run.py class OUT         a folder for a class: the lessons without answers
    python3 run.py wheelhouse DIR    download what is installed, for a room without a network
    python3 run.py slides OUT        the lessons as slides that need no network
    python3 run.py site OUT [...]    the book, and the course in a browser alone, as a folder
    python3 run.py test [...]        run every test                      (... goes to pytest)
    python3 run.py notebooks [...]   execute the notebooks and store their outputs, normalised
    python3 run.py check [...]       format, lint and types               (or only those named)

lab --stored           opens notebooks/ itself, outputs and all: for those who write lessons
lab --without-torch    installs 90 MB instead of 280; PyTorch's answers are stored ones
lab --offline DIR      installs from a folder that run.py wheelhouse has filled
site --pyodide cdn     leaves Python for the browser, NumPy and matplotlib to Pyodide's own network

Everything is installed into the folder .venv beside this file, and only there.
"""

import sys

# Before any other import, and in syntax that old Pythons can parse, so that they print this.
if sys.version_info < (3, 11):
    sys.exit(
        "minigrad needs Python 3.11 or newer, and this is Python {}.{}. Install one from "
        "python.org and run this file with it.".format(*sys.version_info[:2])
    )

import hashlib
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENV = ROOT / ".venv"
PYTHON = ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
UNFINISHED = ROOT / ".venv-unfinished"  # there from the start of an installation to its end
WITHOUT_TORCH = "requirements.txt without torch.done"
EXACT = "constraints.txt"  # the versions with which everything is tested
CPU_ONLY = "https://download.pytorch.org/whl/cpu"


def main(command="", *rest):
    if command == "lab":
        lab(*rest)
    elif command in ("class", "wheelhouse") and len(rest) != 1:
        sys.exit("Name one folder: python3 run.py {} FOLDER".format(command))
    elif command == "class":
        become(sys.executable, "-m", "tools.copies", "--class", Path(rest[0]).resolve())
    elif command == "wheelhouse":
        fill_wheelhouse(Path(rest[0]).resolve())
    elif command in ("test", "notebooks", "slides", "check", "site"):
        set_up("requirements-site.txt" if command == "site" else "requirements-test.txt")
        become(PYTHON, "-m", "tools." + command, *rest)
    elif command in ("help", "-h", "--help"):
        print(__doc__)
    else:
        sys.exit(("Unknown command: " + command if command else "Which command?") + "\n" + __doc__)


def lab(*rest):
    """Set up what is missing, bring the learner's copies up to date, and become JupyterLab."""
    rest = list(rest)
    stored, light = (take(option, rest) for option in ("--stored", "--without-torch"))
    wheels = take_value("--offline", rest)
    refuse_taken_port(rest)
    set_up("requirements.txt", torch=not light, wheels=wheels)
    share_settings()
    # Beside this file, or, where that is a disk that cannot be written, in the home folder.
    root = ROOT if os.access(str(ROOT), os.W_OK) else Path.home()
    folder = "notebooks" if stored else "my-lessons"
    if not stored and run(sys.executable, "-m", "tools.copies", root / folder):
        sys.exit("Your copies of the lessons could not be written to {}.".format(root / folder))
    first_page = "--LabApp.default_url=/lab/tree/{}/index.ipynb".format(folder)
    served = ["--ServerApp.root_dir={}".format(root)] if root != ROOT else []
    as_root = ["--allow-root"] if is_root() else []  # in a container; Jupyter insists on it
    become(PYTHON, "-m", "jupyterlab", first_page, *served, *as_root, *rest)


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


def fill_wheelhouse(folder):
    """Download all that `lab --offline` installs. A wheel of PyTorch for Linux is the CPU one."""
    make_environment()
    UNFINISHED.unlink()
    torch = torch_line()
    download = (PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "-d", folder)
    if sys.platform == "linux":
        run(*download, "--no-deps", "--retries=0", "--timeout=15", "--index-url", CPU_ONLY, torch)
    others = [line for line in requirements_of("requirements.txt") if not line.startswith("-e")]
    found = ["--find-links", folder, "-c", EXACT]
    if run(*download, *found, *others, "setuptools>=77", "wheel"):
        sys.exit("Not everything could be downloaded; pip says above why.")
    print("Filled. On the machine without a network:  python3 run.py lab --offline", folder)


def set_up(requirements, torch=True, wheels=None):
    """Install `requirements` into .venv, unless exactly that has been done already."""
    if PYTHON.exists() and is_done(requirements, torch):
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
        and pip("--no-deps", "--retries=0", "--timeout=15", "--index-url", CPU_ONLY, torch_line())
    ):
        print("The CPU-only PyTorch is out of reach; taking the larger ordinary one.", flush=True)
    wanted = ["-r", requirements]
    if not torch:
        wanted = [word for line in requirements_of(requirements) for word in line.split()]
        wanted = [word for word in wanted if word != torch_line()]
    offline = ["--no-index", "--find-links", wheels] if wheels else []
    failed = pip(*offline, *wanted)
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
    if not torch:
        (ENV / WITHOUT_TORCH).write_text(fingerprint(requirements))
        return
    for name in ("requirements.txt", requirements):  # each includes the first
        (ENV / (name + ".done")).write_text(fingerprint(name))


def requirements_of(name):
    """The lines of a file of requirements, without comments."""
    return [line for line in read(name).splitlines() if line and not line.startswith("#")]


def torch_line():
    return next(line for line in requirements_of("requirements.txt") if "torch==" in line)


def share_settings():
    """Let JupyterLab save the widgets' state, and send what is done in its order and at once."""
    server, lab = "jupyter_server_config.py", "overrides.json"
    for name, folder in ((server, "etc/jupyter"), (lab, "share/jupyter/lab/settings")):
        ours, theirs = ROOT / "binder" / name, ENV / folder / name
        if not (theirs.exists() and theirs.read_bytes() == ours.read_bytes()):
            theirs.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ours, theirs)


def is_done(requirements, torch=True):
    stamps = [ENV / (requirements + ".done")] + [ENV / WITHOUT_TORCH] * (not torch)
    wanted = fingerprint(requirements)
    return any(stamp.exists() and stamp.read_text() == wanted for stamp in stamps)


def fingerprint(requirements):
    """What an installation depends on: this Python, this folder, what is to be installed."""
    names = ("pyproject.toml", "requirements.txt", requirements)
    parts = [sys.version, str(ROOT), *map(read, names)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def make_environment():
    """Make .venv, or mend it; one whose installation was cut short is made anew."""
    command = [sys.executable, "-m", "venv", ENV] + ["--clear"] * UNFINISHED.exists()
    UNFINISHED.touch()
    if run(*command, quiet=True) and not (apt_install("python3-venv") and not run(*command)):
        sys.exit(
            "The environment could not be made. On Debian and Ubuntu 'apt install "
            "python3-venv' helps; elsewhere see what this says:\n    " + " ".join(map(str, command))
        )


def pip(*arguments):
    return run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments)


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


def is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_install(package):
    """Install a Debian package where that may be done; whether it was."""
    if not (is_root() and shutil.which("apt-get")):
        return False
    print("Installing Debian's package", package, "...", flush=True)
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
    os.chdir(ROOT)
    command = [str(word) for word in command]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command again takes it up from here.")
