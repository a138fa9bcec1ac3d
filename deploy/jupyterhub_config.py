"""JupyterHub on one machine, for a class: each learner is a user of the system, so nobody reads
another's files or kernel.

    sudo python3 run.py hub

deploy/README.md has the whole way: what to install, who may log in, how much memory N learners
take. Python and this folder lie where all users may read them.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent

c = get_config()  # noqa: F821 (JupyterHub gives it)

# A learner logs in with the name and password of a user of this machine. `adduser NAME` makes one.
c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True  # all users of this machine; or name them in allowed_users
c.JupyterHub.spawner_class = "localprocess"
c.JupyterHub.bind_url = os.environ.get("MINIGRAD_HUB", "http://127.0.0.1:8000")
# The proxy written in Python comes with pip; the usual one needs Node.
c.ConfigurableHTTPProxy.command = [str(BIN / "configurable-http-proxy")]
c.JupyterHub.hub_ip = "127.0.0.1"

# The learner's server: own copies of the lessons, a limit of memory, then JupyterLab.
c.Spawner.cmd = [str(HERE / "start-learner")]
c.Spawner.args = [
    "--KernelManager.transport=ipc",  # on TCP two of forty kernels may be given the same port
    "--ServerApp.root_dir=~",
    "--LabApp.default_url=/lab/tree/my-lessons/index.ipynb",
]
c.Spawner.default_url = "/lab/tree/my-lessons/index.ipynb"
c.Spawner.environment = {
    "OMP_NUM_THREADS": "1",  # forty learners with two threads each stand in each other's way
    "MINIGRAD_MEMORY_MB": os.environ.get("MINIGRAD_MEMORY_MB", "2000"),  # of each process
    "PATH": f"{BIN}:/usr/bin:/bin",
}
c.Spawner.http_timeout = c.Spawner.start_timeout = 120  # when all come at nine o'clock

# Who has gone home gives the memory back: a server is stopped after an hour without a key pressed.
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
