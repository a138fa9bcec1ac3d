"""One JupyterLab for all browser tests of a process, one notebook page, and one kernel for most."""

import shutil
from pathlib import Path

import pytest

from tests.browser.lab import running_lab
from tests.browser.notebook import Notebook, write_notebook

REPOSITORY = Path(__file__).resolve().parents[2]
WINDOW = {"width": 1280, "height": 1000}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """What JupyterLab serves: a copy of the lessons, so that no test can change them."""
    folder = tmp_path_factory.mktemp("served")
    lessons = REPOSITORY / "notebooks"
    if lessons.exists():
        shutil.copytree(lessons, folder / "notebooks")
    return folder


@pytest.fixture(scope="session")
def address(folder, tmp_path_factory):
    with running_lab(folder, tmp_path_factory.mktemp("private")) as address:
        yield address


@pytest.fixture(scope="session")
def browsing(chromium):
    """Pages of one context share what was loaded, and JupyterLab is several megabytes."""
    return chromium.new_context(viewport=WINDOW)


@pytest.fixture(scope="session")
def scratch(browsing, address, folder):
    """The notebook whose page goes from test to test: to open JupyterLab takes a browser longer
    than most tests take. Its kernel has imported PyTorch."""
    write_notebook(folder / "scratch.ipynb", ["import minigrad.classroom.widgets, torch"])
    notebook = Notebook(browsing.new_page(), address, "scratch.ipynb")
    notebook.run_all()
    yield notebook
    notebook.shut_down()


@pytest.fixture(scope="module")
def open_notebook(scratch):
    """open_notebook(*cells) shows a notebook of these cells, open_notebook(path=...) another one.

    The cells find a kernel in which PyTorch was imported long ago; `fresh=True` gives them one in
    which nothing ever happened. A notebook at a path always has such a kernel.
    """

    def open_one(*cells, path=None, fresh=False):
        scratch.page.set_viewport_size(WINDOW)
        scratch.close_others("scratch.ipynb")
        scratch.renew(cells)
        if fresh:
            scratch.restart()
        if path:
            scratch.open(path)
        return scratch

    yield open_one
    scratch.close_others("scratch.ipynb")
