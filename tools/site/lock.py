"""The list of packages that Pyodide reads at its start: the wheels beside it, and no others."""

import hashlib
import json
import re
import sys
import zipfile

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Asked for by packages, and used by a terminal or by the page alone.
NOT_NEEDED = {"jupyterlab-widgets", "widgetsnbextension", "pexpect"}
BESIDES = {"ipython": ["sqlite3"]}  # imported, and not asked for


def packages(wheels, python):
    """{name: entry} of some wheels; python: the version of the browser's Python, "3.12.7"."""
    found = dict(sorted(_entry(wheel, python) for wheel in wheels))
    missing = {need for entry in found.values() for need in entry["depends"]} - found.keys()
    if missing:
        sys.exit(f"The wheels of the site need these, which are not among them: {sorted(missing)}")
    return found


def sign(path):
    """Write a list's fingerprints anew, for the wheels beside it have been compiled since."""
    told = json.loads(path.read_text(encoding="utf-8"))
    for entry in told["packages"].values():
        wheel = path.with_name(entry["file_name"])
        entry["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _entry(path, python):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        text = archive.read(metadata).decode()
    name = canonicalize_name(re.search(r"^Name: (\S+)", text, re.M)[1])
    needs = map(Requirement, re.findall(r"^Requires-Dist: (.+?)\r?$", text, re.M))
    needs = {canonicalize_name(need.name) for need in needs if _applies(need.marker, python)}
    modules = {
        inside.split("/")[0].removesuffix(".py") for inside in names if inside.endswith(".py")
    }
    return name, {
        "depends": sorted(needs.union(BESIDES.get(name, ())) - NOT_NEEDED),
        "file_name": path.name,
        "imports": sorted(filter(str.isidentifier, modules)),
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "unvendored_tests": False,
        "version": re.search(r"^Version: (\S+)", text, re.M)[1],
    }


def _applies(marker, python):
    """Whether a condition holds in the browser's Python."""
    there = {"sys_platform": "emscripten", "platform_system": "Emscripten", "os_name": "posix"}
    there |= {"platform_machine": "wasm32", "python_full_version": python, "extra": ""}
    there |= {"python_version": python.rpartition(".")[0]}
    return marker is None or marker.evaluate({**default_environment(), **there})
