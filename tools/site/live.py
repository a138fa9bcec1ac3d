"""The course in a browser alone: JupyterLite, with a Python that the browser runs itself.

Nothing but a server of files is needed, and nothing is asked of any other. Python is Pyodide, built
for browsers; beside it lie the wheels of all that the course imports.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.files import ROOT

from . import bytecode, fetched, lessons, lock, mended, wheels

BESIDES = ("early.js", "waiting.js", "place.js")
# What JupyterLite's pages get besides. Python's worker is started by the first script.
_GO_ON = """<script src="../early.js" data-worker="../{worker}"></script>
    <script type="module" src="../waiting.js"></script>
    <script type="module" src="../place.js"></script>"""
# Links between lessons lead to the list of files.
_TO_LESSON = """<script>
      if (/\\.ipynb$/.test(new URLSearchParams(location.search).get("path")))
        location.replace("../notebooks/index.html" + location.search + location.hash);
    </script>"""
SCRIPTS = {"lab": _GO_ON, "notebooks": _GO_ON, "tree": _TO_LESSON}
# The last Pyodide for which a registry has NumPy: the package is made by emscripten-forge.
PYODIDE = "pyodide@0.27.7"
NUMPY = "@emscripten-forge/numpy@2.0.1-py312h4e66579-0"
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
# What the kernel and the classroom import, in the versions that this Pyodide was tested with.
PURE = [
    "anywidget==0.11.0",
    "asttokens==2.4.1",
    "comm==0.2.3",
    "decorator==5.1.1",
    "executing==2.0.1",
    "ipython==8.23.0",
    "ipywidgets==8.1.9",
    "jedi==0.19.1",
    "matplotlib-inline==0.1.7",
    "micropip==0.10.0",
    "packaging==24.2",
    "parso==0.8.4",
    "prompt_toolkit==3.0.43",
    "psygnal==0.16.1",
    "pure_eval==0.2.3",
    "pygments==2.17.2",
    "six==1.16.0",
    "stack_data==0.6.3",
    "traitlets==5.14.3",
    "typing_extensions==4.12.2",
    "wcwidth==0.2.13",
]
# Loaded with Python, side by side; what they depend on comes along.
AT_START = [
    "anywidget",
    "comm",
    "ipykernel",
    "ipython",
    "ipywidgets",
    "jedi",
    "micropip",
    "minigrad",
    "numpy",
    "piplite",
    "pyodide-kernel",
]
# Imported while JupyterLab still loads, until it asks for Python: what the first cells need.
AHEAD = ["pyodide_kernel", "numpy", "ipywidgets", "minigrad.classroom"]
EXTENSIONS = (
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
    "anywidget",
)
BUILT_IN = "1767225600"  # the beginning of 2026, in every file that tells a time
# What is solved is kept beside the notebooks, by the browser: under a name without a dot, for files
# with one are not kept. The home folder is new with every kernel.
ENVIRONMENT = {"MINIGRAD_PROGRESS": "/drive/minigrad-progress.json"}
FIRST_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>minigrad</title>
<!-- JupyterLite's pages read their settings here. -->
<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{}</script>
<script>
  // A phone shows one page at a time; elsewhere the list of files stands beside it.
  const app = innerWidth < 700 ? "notebooks" : "lab";
  location.replace(app + "/index.html?path=index.ipynb");
</script>
<noscript>The lessons run in your browser, which needs JavaScript for it.</noscript>
</html>
"""


def build(out):
    """Build the live course in the folder `out`, in place of one that was built there before."""
    if out.exists() and any(out.iterdir()) and not (out / "jupyter-lite.json").exists():
        sys.exit(f"{out} has other things in it: name a new folder, or an empty one.")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        lite = Path(folder)
        runtime = lite / "static" / "pyodide"  # where JupyterLite looks for a Pyodide of one's own
        runtime.mkdir(parents=True)
        put_python(runtime)
        lessons.put(lite / "lessons")
        configure(lite)
        run_jupyterlite(lite, out)
    mended.go_on_after_announced_errors(out / "build")
    worker = mended.begin_with_the_worker(out, out / "extensions" / EXTENSIONS[1] / "static")
    for app, script in SCRIPTS.items():
        told = script.replace("{worker}", worker.relative_to(out).as_posix())
        put_script(out / app / "index.html", told)
    for name in BESIDES:
        shutil.copy(Path(__file__).with_name(name), out)
    (out / "index.html").write_text(FIRST_PAGE, encoding="utf-8")


def put_python(folder):
    """Pyodide, the wheels, and the list of them that Pyodide reads."""
    tarball = fetched.from_npm(PYODIDE)
    held = {name: _read(tarball, f"package/{name}") for name in (*RUNTIME, "pyodide-lock.json")}
    theirs = json.loads(held.pop("pyodide-lock.json"))
    found = [wheels.project(folder), wheels.sqlite_names(folder)]
    found += [shutil.copy(path, folder) for path in fetched.from_pypi(PURE)]
    found += [shutil.copy(path, folder) for path in _wheels_of_the_kernel()]
    found.append(wheels.numpy(fetched.from_npm(NUMPY), folder))
    held["pyodide.asm.js"] = mended.without_backtrace(held["pyodide.asm.js"])
    for name, data in held.items():
        (folder / name).write_bytes(data)
    packages = lock.packages(map(Path, found), theirs["info"]["python"])
    text = json.dumps({"info": theirs["info"], "packages": packages}, indent=1)
    (folder / "pyodide-lock.json").write_text(text + "\n", encoding="utf-8")
    told = {"OPTIONS": {"packages": AT_START, "env": ENVIRONMENT}, "AHEAD": AHEAD}
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in told.items()]
    (folder / "options.mjs").write_text("".join(lines), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("begin.mjs"), folder)
    bytecode.compile_all(folder)
    lock.sign(folder / "pyodide-lock.json")


def _read(tarball, name):
    with tarfile.open(tarball) as tar:
        return tar.extractfile(name).read()


def _extension(name):
    """The folder of an extension of JupyterLab's that is installed beside this Python."""
    return Path(sys.prefix) / "share" / "jupyter" / "labextensions" / name


def _wheels_of_the_kernel():
    """The kernel, and stand-ins for what it has no use for, as its extension brings them."""
    found = sorted(_extension(EXTENSIONS[1]).glob("static/pypi/*.whl"))
    return [path for path in found if not path.name.startswith("widgetsnbextension")]


def put_script(page, script):
    text, head = page.read_text(encoding="utf-8"), "<head>"
    assert text.count(head) == 1, page
    page.write_text(text.replace(head, head + script), encoding="utf-8")


def configure(lite):
    """JupyterLite's settings, with those that the course has everywhere."""
    kernel = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": AT_START},  # what the kernel need not install
    }
    data = {
        "appName": "minigrad",
        "defaultKernelName": "python",
        "enableServiceWorkerCache": True,
        "exposeAppInBrowser": True,  # for place.js, and for tools/site/check.py
        "litePluginSettings": {f"{EXTENSIONS[1]}:kernel": kernel},
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
        "--LiteBuildConfig.federated_extensions": map(_extension, EXTENSIONS),
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
