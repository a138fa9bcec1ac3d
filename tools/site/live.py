"""The course in a browser alone: JupyterLite, with a Python that the browser runs itself.

It needs a server of files and no other. Python is Pyodide, built for browsers; beside it are the
wheels of all that the course imports.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.files import ROOT

from . import lessons, mended
from .wheels import KERNEL, extension, put_python

HERE = Path(__file__).parent
BESIDES = ("early.js", "waiting.js", "place.js")
# What is added to JupyterLite's pages. The first script starts Python's worker.
_GO_ON = """<script src="../early.js" data-worker="../{worker}"></script>
    <script type="module" src="../waiting.js"></script>
    <script type="module" src="../place.js"></script>"""
# Links between lessons would open the list of files.
_TO_LESSON = """<script>
      if (/\\.ipynb$/.test(new URLSearchParams(location.search).get("path")))
        location.replace("../notebooks/index.html" + location.search + location.hash);
    </script>"""
SCRIPTS = {"lab": _GO_ON, "notebooks": _GO_ON, "tree": _TO_LESSON}
# What the first cells need: imported while JupyterLab loads, until it asks for Python.
AHEAD = ["pyodide_kernel", "numpy", "ipywidgets", "minigrad.classroom"]
EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", KERNEL, "anywidget")
BUILT_IN = "1767225600"  # the beginning of 2026, for every file that has a time
# The browser keeps what is solved beside the notebooks, under a name without a leading dot, because
# hidden files are not kept. The home folder is new with every kernel.
ENVIRONMENT = {"MINIGRAD_PROGRESS": "/drive/minigrad-progress.json"}


def build(out):
    """Build the live course in the folder `out`, replacing an earlier one."""
    if out.exists() and any(out.iterdir()) and not (out / "jupyter-lite.json").exists():
        sys.exit(f"{out} has other files in it: name a new folder or an empty one.")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        lite = Path(folder)
        runtime = lite / "static" / "pyodide"  # where JupyterLite looks for a Pyodide of one's own
        runtime.mkdir(parents=True)
        packages = put_python(runtime)
        put_start(runtime, packages)
        lessons.put(lite / "lessons")
        configure(lite, packages)
        run_jupyterlite(lite, out)
    mended.go_on_after_announced_errors(out / "build")
    worker = mended.begin_with_the_worker(out, out / "extensions" / KERNEL / "static")
    for app, script in SCRIPTS.items():
        text = script.replace("{worker}", worker.relative_to(out).as_posix())
        mended.once(out / app / "index.html", "<head>", f"<head>{text}")
    for name in BESIDES:
        shutil.copy(HERE / name, out)
    shutil.copy(HERE / "first.html", out / "index.html")


def put_start(folder, packages):
    """Write what starts Python in its worker, and the options for it."""
    constants = {"OPTIONS": {"packages": packages, "env": ENVIRONMENT}, "AHEAD": AHEAD}
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items()]
    (folder / "options.mjs").write_text("".join(lines), encoding="utf-8")
    shutil.copy(HERE / "begin.mjs", folder)


def configure(lite, packages):
    """Write JupyterLite's settings, with those that the course has everywhere."""
    kernel = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": packages},  # what the kernel need not install
    }
    data = {
        "appName": "minigrad",
        "defaultKernelName": "python",
        "enableServiceWorkerCache": True,
        "exposeAppInBrowser": True,  # for place.js, and for the tests
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
    }
    settings = json.loads((ROOT / "binder" / "overrides.json").read_text(encoding="utf-8"))
    settings |= {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        },
        "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
        "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},
    }
    whole = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    (lite / "jupyter-lite.json").write_text(json.dumps(whole, indent=1))
    (lite / "overrides.json").write_text(json.dumps(settings, indent=1))


def run_jupyterlite(lite, out):
    options = {
        "--lite-dir": [lite],
        "--output-dir": [out.resolve()],
        "--contents": [lite / "lessons"],
        "--settings-overrides": [lite / "overrides.json"],
        "--apps": SCRIPTS,
        "--LiteBuildConfig.federated_extensions": map(extension, EXTENSIONS),
    }
    words = [f"{name}={value}" for name, values in options.items() for value in values]
    flags = ["--no-sourcemaps", "--no-unused-shared-packages", "--ignore-sys-prefix"]
    done = subprocess.run(
        [sys.executable, "-m", "jupyterlite_core", "build", *words, *flags],
        cwd=lite,
        env={**os.environ, "SOURCE_DATE_EPOCH": BUILT_IN},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"JupyterLite could not be built:\n{done.stdout}\n{done.stderr}")
