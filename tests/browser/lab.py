"""A JupyterLab of one's own: private folders, a port of its choice, and gone when its owner is.

    with running_lab(folder) as address: ...

The server runs under a small supervisor that waits for the end of its standard input. That end
comes when the `with` block is left and also when the whole test run is killed, so no server is
left behind. Run as a script, this file is the supervisor.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]

_SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
_FLAGS = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",
]


@contextlib.contextmanager
def running_lab(folder, private, theme="JupyterLab Light"):
    """A JupyterLab that serves `folder`; yields its address. `private` holds its settings."""
    private = Path(private)
    # As run.py and Binder set it up: the widgets' messages in one thread; here no state is saved.
    ours = json.loads((_REPOSITORY / "binder" / "overrides.json").read_text())
    settings = {
        **_SETTINGS,
        **{name.replace(":", "/"): ours[name] for name in ours if "kernels" in name},
    }
    settings["@jupyterlab/apputils-extension/themes"] = {"theme": theme}
    for name, values in settings.items():
        path = private / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(private / "config"),
        "JUPYTER_CONFIG_PATH": str(_REPOSITORY / "binder"),  # as run.py and Binder set it up, too
        "JUPYTER_DATA_DIR": str(private / "data"),
        "JUPYTER_RUNTIME_DIR": str(private / "runtime"),
        "IPYTHONDIR": str(private / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(private / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(private / "workspaces"),
        "PYTHONPATH": os.pathsep.join(
            [str(_REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
    }
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        *_FLAGS,
        f"--ServerApp.port={_free_port()}",  # or another, should it be taken by then
        f"--ServerApp.root_dir={folder}",
    ]
    log = private / "lab.log"
    with log.open("wb") as output:
        supervisor = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,  # an interrupt of the tests reaches the tests first
        )
    try:
        yield _address_once_it_answers(private / "runtime", supervisor, log)
    finally:
        supervisor.stdin.close()
        supervisor.wait(timeout=30)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _address_once_it_answers(runtime, process, log, seconds=120):
    """The address at which the server answers; it notes its port in a file when it has one."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open  # whatever proxy is set
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            [note] = runtime.glob("jpserver-*.json")
            address = f"http://127.0.0.1:{json.loads(note.read_text())['port']}"
            with ask(f"{address}/api/status", timeout=10):
                return address
        except (OSError, ValueError):  # no note yet, half a note, or no answer
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start; its log:\n{log.read_text(errors='replace')}")


def _supervise(command):
    """Run the server until standard input ends, then stop it, by its own process id."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    sys.stdin.buffer.read()
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(timeout=15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


if __name__ == "__main__":
    _supervise(sys.argv[1:])
