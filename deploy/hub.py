"""Start a JupyterHub for a class on this machine: sudo python3 run.py hub [...]

It runs deploy/jupyterhub_config.py, as deploy/README.md explains, and needs root because each
learner is a user of this machine. MINIGRAD_HUB=http://0.0.0.0:8000 sets its address. All arguments
go to JupyterHub.
"""

import sys
from pathlib import Path

from run import become

CONFIG = Path(__file__).with_name("jupyterhub_config.py")

if __name__ == "__main__":
    become(sys.executable, "-P", "-m", "jupyterhub", "-f", CONFIG, *sys.argv[1:])
