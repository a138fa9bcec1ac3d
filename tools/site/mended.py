"""Three patches to files of other projects. Each is found by its text, or the build stops."""


def without_backtrace(path):
    """Pyodide, for this NumPy, which calls glibc's backtrace() when it adds arrays of 256 KB or
    more, as lesson 13 does. Pyodide has no such function and would crash. Told that there are no
    frames, NumPy goes on."""
    imports = "wasmImports={"
    once(path, imports, imports + "backtrace:()=>0,")


def go_on_after_announced_errors(folder):
    """JupyterLite, for *Run All*: after any error it cancels the cells that wait. JupyterLab goes
    on after a cell tagged raises-exception, and asks for that here too, but JupyterLite ignores it.
    A reply to an interrupt cancels nothing."""
    reply = 'msgType:"execute_reply",channel:"shell",parentHeader:e.header,'
    reply += "session:e.header.session,content:s"
    replacement = reply + ',metadata:{cause:t.stop_on_error?"":"interrupt"}'
    scripts = [path for path in sorted(folder.glob("*.js")) if reply in path.read_text("utf-8")]
    assert len(scripts) == 1, "another JupyterLite: where does it reply?"
    once(scripts[0], reply, replacement)


def begin_with_the_worker(site, folder):
    """JupyterLite's worker, which loads Python when it is asked to: now begin.mjs loads it at once,
    and the worker gets that Python when it is asked. Returns the worker."""
    [worker] = folder.glob("comlink.worker.*.js")
    begin = 'import "../../../../static/pyodide/begin.mjs";\n'
    worker.write_text(begin + worker.read_text("utf-8"), "utf-8")
    # JupyterLite has named the Pyodide that it found.
    theirs, ours = "static/pyodide/pyodide.mjs", "static/pyodide/begin.mjs"
    once(site / "jupyter-lite.json", theirs, ours)
    return worker


def once(path, before, after):
    """Replace a text that is in a file exactly once."""
    text = path.read_text("utf-8")
    assert text.count(before) == 1, f"what is to be patched in {path.name} has changed: {before}"
    path.write_text(text.replace(before, after), "utf-8", newline="")
