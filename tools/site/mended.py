"""Three things of others, mended where they lie: each is found by its text, or the build stops."""


def without_backtrace(script):
    """Pyodide, for this NumPy, which asks for glibc's backtrace() when it adds arrays from 256 KB
    on, as lesson 13 does. Pyodide has none and would die. Told that there is no frame, NumPy goes
    on."""
    imports = b"wasmImports={"
    return _once(script, imports, imports + b"backtrace:()=>0,")


def go_on_after_announced_errors(folder):
    """JupyterLite, for *Run All*: after any error it cancels what waits. JupyterLab goes on after a
    cell tagged raises-exception, and asks for it here, too, but JupyterLite does not look. What
    is answered to an interrupt cancels nothing."""
    reply = b'msgType:"execute_reply",channel:"shell",parentHeader:e.header,'
    reply += b"session:e.header.session,content:s"
    told = reply + b',metadata:{cause:t.stop_on_error?"":"interrupt"}'
    scripts = [path for path in sorted(folder.glob("*.js")) if reply in path.read_bytes()]
    assert len(scripts) == 1, "another JupyterLite: where does it reply?"
    scripts[0].write_bytes(_once(scripts[0].read_bytes(), reply, told))


def begin_with_the_worker(site, folder):
    """JupyterLite's worker, which loads Python when it is asked to: it begins at once, by
    begin.mjs, and is given that Python when it is asked. Returns the worker."""
    [worker] = folder.glob("comlink.worker.*.js")
    begin = b'import "../../../../static/pyodide/begin.mjs";\n'
    worker.write_bytes(begin + worker.read_bytes())
    settings = site / "jupyter-lite.json"  # where JupyterLite has named the Pyodide that it found
    theirs, ours = b"static/pyodide/pyodide.mjs", b"static/pyodide/begin.mjs"
    settings.write_bytes(_once(settings.read_bytes(), theirs, ours))
    return worker


def _once(text, before, after):
    assert text.count(before) == 1, f"what is to be mended has changed: {before}"
    return text.replace(before, after)
