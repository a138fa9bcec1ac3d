"""One JupyterLab and one Chromium for all browser tests, stopped when the last of them is done."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.lab import running_lab
from tests.browser.notebook import Notebook, launch, write_notebook

REPOSITORY = Path(__file__).resolve().parents[2]
# As long as Playwright's other patience. Nothing waits so long unless the machine is busy.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    """What JupyterLab serves: a copy of the lessons, so that no test can change them."""
    folder = tmp_path_factory.mktemp("served")
    lessons = REPOSITORY / "notebooks"
    if lessons.exists():
        shutil.copytree(lessons, folder / "notebooks")
    return folder


@pytest.fixture(scope="package")
def address(folder, tmp_path_factory):
    with running_lab(folder, tmp_path_factory.mktemp("private")) as address:
        yield address


@pytest.fixture(scope="package")
def chromium():
    # Not for the whole session: Playwright keeps an event loop running in this thread.
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def browsing(chromium):
    """Pages of one context share what was loaded, and JupyterLab is several megabytes."""
    return chromium.new_context(viewport={"width": 1280, "height": 1000})


@pytest.fixture(scope="module")
def page(browsing):
    page = browsing.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def open_notebook(page, address, folder):
    """open_notebook(*cells) writes a notebook of cells and opens it; a path opens that one."""
    opened = []

    def open_one(*cells, path=None):
        if opened:
            opened.pop().shut_down()
        if path is None:
            path = f"scratch-{len(list(folder.glob('scratch-*.ipynb')))}.ipynb"
            write_notebook(folder / path, cells)
        opened.append(Notebook(page, address, path))
        return opened[-1]

    yield open_one
    if opened:
        opened.pop().shut_down()
