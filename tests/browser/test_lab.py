"""The server that widgets are used on: it sends at once, and it is gone when its owner is."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

from minigrad.classroom import server
from tests.browser.lab import running_lab

REPOSITORY = Path(__file__).resolve().parents[2]
OWNER = """
import sys, time
from tests.browser.lab import running_lab
with running_lab(sys.argv[1], sys.argv[1]) as address:
    print(address, flush=True)
    time.sleep(600)
"""


def test_the_server_has_the_extension(tmp_path):
    with running_lab(tmp_path, tmp_path):
        log = (tmp_path / "lab.log").read_text(encoding="utf-8")
    assert f"{server.__name__} | extension was successfully loaded" in log


def test_every_connection_sends_small_messages_at_once():
    class Connection:
        """What Jupyter Server makes of a page's request."""

        def __init__(self, websocket_handler):
            self.websocket_handler = websocket_handler

        def connect(self):
            return "connected"

    done = []
    settings = {"kernel_websocket_connection_class": Connection}
    server._load_jupyter_server_extension(SimpleNamespace(web_app=SimpleNamespace(settings=settings)))
    connection = settings["kernel_websocket_connection_class"](SimpleNamespace(set_nodelay=done.append))
    assert isinstance(connection, Connection)
    assert connection.connect() == "connected" and done == [True]


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
