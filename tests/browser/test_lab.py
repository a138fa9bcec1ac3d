"""The server of the browser tests is gone when its owner is, however the owner ended."""

import socket
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
OWNER = """
import sys, time
from tests.browser.lab import running_lab
with running_lab(sys.argv[1], sys.argv[1]) as address:
    print(address, flush=True)
    time.sleep(600)
"""


def answers(address):
    host, port = address.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        return True
    except OSError:
        return False


def test_a_killed_test_run_leaves_no_server(tmp_path):
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = owner.stdout.readline().strip()
        assert answers(address)
    finally:
        owner.kill()
        owner.wait()
    end = time.monotonic() + 30
    while answers(address) and time.monotonic() < end:
        time.sleep(0.2)
    assert not answers(address)
