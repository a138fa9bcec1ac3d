"""Bytecode for the browser's Python, compiled here once, not by every browser at every start.

    compile_all(folder)     the wheels in a folder with Pyodide, and its standard library, in place

It is made by the Python that will read it: Pyodide itself, run by Node.js. What is not ours comes
as bytecode alone, as Pyodide's own packages do. The engine and the classroom keep their sources
beside it, because lessons show them. It halves what Python computes until a lesson is ready.
"""

import os
import subprocess
import sys
import zipfile

from . import fetched

SCRIPT = """
import { loadPyodide } from "./pyodide.mjs";
import fs from "fs";

const python = await loadPyodide({ indexURL: process.cwd() + "/", env: { PYTHONHASHSEED: "0" } });
for (const name of fs.readdirSync(".").filter((one) => /\\.(whl|zip)$/.test(one)).sort()) {
  python.FS.writeFile("/given", fs.readFileSync(name));
  python.globals.set("keeps_sources", name.startsWith("minigrad"));
  python.runPython(fs.readFileSync(process.argv[2], "utf8"));
  fs.writeFileSync(name, python.FS.readFile("/made"));
}
"""
PROGRAM = """
import importlib._bootstrap_external as loader, importlib.util, warnings, zipfile

warnings.simplefilter("ignore")  # of odd escapes in the sources of others
given, made = zipfile.ZipFile("/given"), zipfile.ZipFile("/made", "w")

def put(name, data):
    entry = zipfile.ZipInfo(name)  # of 1980, whenever it is written
    entry.external_attr = 0o644 << 16
    made.writestr(entry, data)  # is packed outside, in a tenth of the time

for name in sorted(given.namelist()):
    data = given.read(name)
    if name.endswith("/"):
        continue
    if not name.endswith(".py"):
        put(name, data)
        continue
    if keeps_sources:
        put(name, data)
    try:
        code = compile(data, "/lib/python3.12/site-packages/" + name, "exec", dont_inherit=True)
    except SyntaxError:  # a template, which nobody imports
        put(name, data)
        continue
    bytecode = loader._code_to_hash_pyc(code, importlib.util.source_hash(data), False)
    folder, _, file = name.rpartition("/")
    cached = f"{folder}/__pycache__/{file[:-3]}.cpython-312.pyc".lstrip("/")
    put(cached if keeps_sources else name + "c", bytes(bytecode))
made.close()
"""


def compile_all(folder):
    """Put bytecode into every wheel of the folder, and into Pyodide's standard library."""
    script, program = folder / "compile.mjs", folder / "compile.py"
    script.write_text(SCRIPT, encoding="utf-8")
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [*fetched.node(), script.name, program.name],
        cwd=folder,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    script.unlink()
    program.unlink()
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
