"""A JupyterLab of one's own: private folders, a port that nobody can take, gone with its owner.

    with running_lab(folder) as address: ...

The server is this file, run as a script. It binds its port once and says its address when it
answers, and it ends with its standard input. That end comes when the `with` block is left and also
when the whole test run is killed, so no server is left behind.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
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
# What says that the kernel is busy: at each message an icon is fetched and the bars drawn anew.
_LEFT_OUT = [
    "@jupyterlab/application-extension:faviconbusy",
    "@jupyterlab/apputils-extension:kernel-status",
    "@jupyterlab/notebook-extension:execution-indicator",
]
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
    files = {
        private / "settings" / f"{name}.jupyterlab-settings": values
        for name, values in settings.items()
    }
    files[private / "config" / "labconfig" / "page_config.json"] = {
        "disabledExtensions": dict.fromkeys(_LEFT_OUT, True)
    }
    for path, values in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    log = private / "lab.log"
    with log.open("wb") as errors:
        environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(private / "config"),
            "JUPYTER_CONFIG_PATH": str(_REPOSITORY / "binder"),  # as run.py and Binder set it up
            "JUPYTER_DATA_DIR": str(private / "data"),
            "IPYTHONDIR": str(private / "ipython"),
            "JUPYTERLAB_SETTINGS_DIR": str(private / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(private / "workspaces"),
            "PYTHONPATH": os.pathsep.join(
                [str(_REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
        }
        server = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).resolve()),
                *_FLAGS,
                f"--ServerApp.root_dir={folder}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            start_new_session=True,  # an interrupt of the tests reaches the tests first
        )
        try:
            address = server.stdout.readline().decode().strip()
            if not address:
                told = log.read_text(errors="replace")
                raise RuntimeError(f"JupyterLab did not start; its log:\n{told}")
            yield address
        finally:
            server.stdin.close()
            server.wait()  # it ends itself, also when it hangs
            server.stdout.close()


def _serve():
    """Run the server until standard input ends."""
    from jupyter_server.serverapp import ServerApp
    from jupyterlab.labapp import LabApp
    from tornado.netutil import bind_sockets

    from tools.kernels import has_sockets

    class BoundOnce(ServerApp):
        """Keeps the port that it is given: jupyter_server lets it go, and binds it later again."""

        def _find_http_port(self):
            self._bound = bind_sockets(0, self.ip)
            self.port = self._bound[0].getsockname()[1]

        def _bind_http_server_tcp(self):
            self.http_server.add_sockets(self._bound)
            print(f"http://{self.ip}:{self.port}", flush=True)
            os.dup2(2, 1)  # nobody reads further; what kernels print goes to the log
            return True

    class Lab(LabApp):
        serverapp_class = BoundOnce

    # Children get an empty input: node, which JupyterLab asks for its version, leaves the one that
    # it inherits so that reading it does not wait, and this server would not hear of its end.
    owner = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def end_with_the_input():
        os.read(owner, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(15)
        os._exit(1)  # it hangs

    threading.Thread(target=end_with_the_input, daemon=True).start()
    transport = "ipc" if has_sockets() else "tcp"
    # The kernels' sockets are in the runtime folder, and the name of a socket has to be short.
    with tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as runtime:
        os.environ["JUPYTER_RUNTIME_DIR"] = runtime
        Lab.launch_instance([*sys.argv[1:], f"--KernelManager.transport={transport}"])


if __name__ == "__main__":
    _serve()
