"""A visit to a site in a real browser that reaches this machine and no other; and what it cost."""

import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .notebook import FLAGS, PATIENCE, Notebook, chromium

HERE = "127.0.0.1"
ALONE = f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {HERE}"  # workers obey it, too
IDLE = """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status
    === 'idle'"""
# All code cells of the notebook at hand, in their order.
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code' && cell.model.sharedModel.getSource().trim())
    .map(cell => ({count: cell.model.executionCount, outputs: cell.model.outputs.toJSON(),
                   source: cell.model.sharedModel.getSource(),
                   tags: cell.model.getMetadata('tags') || []}))"""


class Server:
    """Python's own server of files, in a process of its own."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  kept as long as this
        place = ["0", "--bind", HERE, "--directory", self.folder]
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-m", "http.server", *place],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        # It binds a port that is free, and says which: "Serving HTTP on 127.0.0.1 port 40923 ..."
        self.port = int(re.search(r" port (\d+) ", self._process.stdout.readline())[1])
        self.address = f"http://{HERE}:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def answered(self, status):
        """The paths that were asked for and answered with this status, in their order."""
        self._log.seek(0)
        found = re.findall(rf'"GET (\S+) HTTP/[\d.]+" {status}', self._log.read())
        return [unquote(urlsplit(path).path) for path in found]

    def bytes_sent(self):
        """(files, bytes, bytes if packed with gzip) of what was sent, each file once."""
        paths = {self.folder / path.lstrip("/") for path in self.answered(200)}
        paths = [path / "index.html" if path.is_dir() else path for path in paths]
        files = [path.read_bytes() for path in paths]
        return len(files), sum(map(len, files)), sum(len(gzip.compress(one, 6)) for one in files)


class Visitor:
    """A browser with a profile of its own; "" is one that nobody has used.

    asked: the addresses of other hosts that its pages asked for; errors: of their scripts.
    """

    def __init__(self, playwright, address, profile="", size=(1280, 1000), **more):
        self.address, self.asked, self.errors = address, set(), []
        self.context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium(),
            args=[*FLAGS, ALONE],
            timeout=PATIENCE,
            viewport=dict(zip(("width", "height"), size)),
            **more,
        )
        self.context.on("request", self._note)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def _note(self, request):
        if not request.url.startswith((self.address, "data:", "blob:", "about:")):
            self.asked.add(request.url)

    def open(self, path, app="notebooks"):
        """A lesson, when its kernel is ready."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return Lesson(page, f"{self.address}/{app}", path)


class Lesson(Notebook):
    """A lesson that is open in the site, driven as one in JupyterLab."""

    place = "{address}/index.html?path={path}"

    def problems(self):
        """What a learner would take for a failure: cells not run, errors that none announces."""
        found = []
        for number, cell in enumerate(self.page.evaluate(CELLS)):
            told = f"code cell {number} ({cell['source'].splitlines()[0][:50]})"
            if cell["count"] is None:
                found.append(f"{told} did not run")
            for output in cell["outputs"]:
                if output["output_type"] == "error" and "raises-exception" not in cell["tags"]:
                    found.append(f"{told}: {output['ename']}: {output['evalue'][:200]}")
                if output.get("name") == "stderr":
                    found.append(f"{told}: {''.join(output['text'])[-200:]}")
        return found

    def upstream_editor(self):
        """The first upstream editor of the lesson."""
        return self.page.locator(".mg-panel").filter(has=self.page.locator(".mg-upstream")).first
