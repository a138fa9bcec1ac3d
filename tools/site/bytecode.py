"""Bytecode for the browser's Python, compiled here once, not by every browser at every start.

    compile_all(folder)     the wheels in a folder with Pyodide, and its standard library, in place

The Python that will read it makes it: Pyodide itself, run by Node.js. Other projects' packages have
only bytecode, as Pyodide's own do. The engine and the classroom keep their sources beside it,
because lessons show them. This halves the computing until a lesson is ready.
"""

import hashlib
import inspect
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from . import fetched

SCRIPT = Path(__file__).with_name("compile.mjs")
KEPT = fetched.CACHE / "bytecode"


def compile_all(folder):
    """Put bytecode into every wheel of the folder, and into Pyodide's standard library. Other
    projects' archives are compiled once and kept, because they change only with their versions."""
    program = inspect.getsource(compile_archive)
    compiler = program.encode() + SCRIPT.read_bytes() + (folder / "pyodide.asm.wasm").read_bytes()
    archives = sorted([*folder.glob("*.whl"), *folder.glob("*.zip")])
    digests = [hashlib.sha256(compiler + path.read_bytes()).hexdigest() for path in archives]
    kept = {path: KEPT / f"{path.name}-{digest[:16]}" for path, digest in zip(archives, digests)}
    new = [path for path in archives if not kept[path].exists()]
    for path in set(archives) - set(new):
        shutil.copyfile(kept[path], path)
    command = [*fetched.of_node("node"), SCRIPT, folder, program, *(path.name for path in new)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"The browser's Python could not be compiled:\n{done.stderr[-2000:]}")
    for path in new:
        pack(path)
        if not path.name.startswith("minigrad"):
            keep(path, kept[path])


def keep(path, place):
    """Copy a file in one step: another build may be doing the same."""
    place.parent.mkdir(exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    shutil.copyfile(path, beside)
    beside.replace(place)


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
    import compileall
    import py_compile
    import tempfile
    import zipfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(made, "w") as archive:
        folder = Path(name)
        with zipfile.ZipFile(given) as sources:
            sources.extractall(folder)
        compileall.compile_dir(
            folder,
            ddir="/lib/python3.12/site-packages",
            quiet=2,  # a template is no program, and nobody imports it
            legacy=not keeps_sources,  # in the place of its source, or else in __pycache__
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            if path.suffix != ".py" or not path.with_suffix(".pyc").exists():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())  # of 1980, always
                archive.writestr(entry, path.read_bytes())  # is packed outside: 10 times as fast
