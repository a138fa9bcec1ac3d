"""The server of the browser tests is gone when its owner is, however the owner ended."""

import contextlib
import socket
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
OWNER = """
import signal, sys
from tests.browser.lab import running_lab
with running_lab(sys.argv[1], sys.argv[1]) as address:
    print(address, flush=True)
    signal.pause()
"""


def test_a_killed_test_run_leaves_no_server(tmp_path):
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        host, port = owner.stdout.readline().strip().removeprefix("http://").split(":")
        connection = socket.create_connection((host, int(port)), timeout=120)
    finally:
        owner.kill()
        owner.wait()
    # What ends a connection, in either way, is the end of the process; a timeout would be raised.
    with contextlib.suppress(ConnectionResetError):
        assert connection.recv(1) == b""
