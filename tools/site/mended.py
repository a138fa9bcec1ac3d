"""Three things of others, mended where they lie: each is found by its text, or the build stops."""


def without_backtrace(path):
    """Pyodide, for this NumPy, which asks for glibc's backtrace() when it adds arrays from 256 KB
    on, as lesson 13 does. Pyodide has none and would die. Told that there is no frame, NumPy goes
    on."""
    imports = "wasmImports={"
    once(path, imports, imports + "backtrace:()=>0,")


def go_on_after_announced_errors(folder):
    """JupyterLite, for *Run All*: after any error it cancels what waits. JupyterLab goes on after a
    cell tagged raises-exception, and asks for it here, too, but JupyterLite does not look. What
    is answered to an interrupt cancels nothing."""
    reply = 'msgType:"execute_reply",channel:"shell",parentHeader:e.header,'
    reply += "session:e.header.session,content:s"
    told = reply + ',metadata:{cause:t.stop_on_error?"":"interrupt"}'
    scripts = [path for path in sorted(folder.glob("*.js")) if reply in path.read_text("utf-8")]
    assert len(scripts) == 1, "another JupyterLite: where does it reply?"
    once(scripts[0], reply, told)


def begin_with_the_worker(site, folder):
    """JupyterLite's worker, which loads Python when it is asked to: it begins at once, by
    begin.mjs, and is given that Python when it is asked. Returns the worker."""
    [worker] = folder.glob("comlink.worker.*.js")
    begin = 'import "../../../../static/pyodide/begin.mjs";\n'
    worker.write_text(begin + worker.read_text("utf-8"), "utf-8")
    # JupyterLite has named the Pyodide that it found.
    theirs, ours = "static/pyodide/pyodide.mjs", "static/pyodide/begin.mjs"
    once(site / "jupyter-lite.json", theirs, ours)
    return worker


def once(path, before, after):
    """Replace what stands in a file once."""
    text = path.read_text("utf-8")
    assert text.count(before) == 1, f"what is to be mended in {path.name} has changed: {before}"
    path.write_text(text.replace(before, after), "utf-8", newline="")
