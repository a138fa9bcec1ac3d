"""Bytecode for the browser's Python, compiled here once, not by every browser at every start.

    compile_all(folder)     the wheels in a folder with Pyodide, and its standard library, in place

It is made by the Python that will read it: Pyodide itself, run by Node.js. What is not ours comes
as bytecode alone, as Pyodide's own packages do. The engine and the classroom keep their sources
beside it, because lessons show them. It halves what Python computes until a lesson is ready.
"""

import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

from . import fetched

SCRIPT = Path(__file__).with_name("compile.mjs")


def compile_all(folder):
    """Put bytecode into every wheel of the folder, and into Pyodide's standard library."""
    program = inspect.getsource(compile_archive)
    command = [*fetched.of_node("node"), SCRIPT, folder, program]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"The browser's Python could not be compiled:\n{done.stderr[-2000:]}")
    for path in (*folder.glob("*.whl"), *folder.glob("*.zip")):
        pack(path)


def pack(path):
    """Compress the files in an archive, and change nothing else."""
    with zipfile.ZipFile(path) as archive:
        held = [(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in held:
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)


def compile_archive(given, made, keeps_sources):
    """Write the archive `given` anew, with bytecode; the same files give the same bytes. Pyodide
    runs it, so it imports what it needs."""
    import importlib._bootstrap_external as loader
    import importlib.util
    import warnings
    import zipfile

    warnings.simplefilter("ignore")  # of odd escapes in the sources of others

    def put(name, data):
        entry = zipfile.ZipInfo(name)  # of 1980, whenever it is written
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, data)  # is packed outside, in a tenth of the time

    with zipfile.ZipFile(made, "w") as archive, zipfile.ZipFile(given) as sources:
        for name in sorted(one for one in sources.namelist() if not one.endswith("/")):
            data, folder = sources.read(name), name.rpartition("/")[0]
            bytecode = None
            if name.endswith(".py"):
                try:
                    place = f"/lib/python3.12/site-packages/{name}"
                    code = compile(data, place, "exec", dont_inherit=True)
                    told = importlib.util.source_hash(data)
                    bytecode = bytes(loader._code_to_hash_pyc(code, told, False))
                except SyntaxError:  # a template, which nobody imports
                    pass
            if keeps_sources or not bytecode:
                put(name, data)
            if bytecode and keeps_sources:
                file = name.rpartition("/")[2].removesuffix(".py")
                put(f"{folder}/__pycache__/{file}.cpython-312.pyc".lstrip("/"), bytecode)
            elif bytecode:
                put(f"{name}c", bytecode)
