"""Settings for every test, and the one Chromium that a process of tests has."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

HERE = Path(__file__).resolve().parent

# No test may fail because a machine is slow, so hypothesis watches no clock, and none by chance:
# the examples are the same in each run. `--hypothesis-profile=long` tries many more, other ones.
no_clock = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("minigrad", **no_clock, derandomize=True)
settings.register_profile("long", **no_clock, max_examples=3600)
settings.load_profile("minigrad")

# Hypothesis also tries numbers that it finds in the modules that happen to be loaded, so that the
# examples would change with any line of code, and with which tests run. It has no switch for that.
providers._get_local_constants = lambda: providers._local_constants


# Files go to the processes of a whole run in this order: those that take longest begin, and the end
# is many short ones, so that no process waits long for another.
LONGEST_FIRST = ("browser", "deployment", "notebooks", "classroom", "house", "engine")


def pytest_collection_modifyitems(items):
    def place(item):
        folder = item.path.relative_to(HERE).parts[0] if item.path.is_relative_to(HERE) else ""
        return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)

    items.sort(key=place)  # a stable sort: within a folder, all is as it was


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """As --dist=loadfile, but whatever needs a JupyterLab goes to two of the processes: to start
    one, with its page and its kernel, takes longer than most of these files."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    files = [file for file in (HERE / "browser").glob("test_*.py") if needs_lab(file)]
    files.sort(key=lambda file: file.stat().st_size)
    labs = {f"tests/browser/{file.name}": f"JupyterLab {k % 2}" for k, file in enumerate(files)}

    class TwoLabs(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return labs.get(file, file)

    return TwoLabs(config, log)


def needs_lab(file):
    return "open_notebook" in file.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def playwright():
    from playwright.sync_api import expect, sync_playwright

    from tests.browser.notebook import PATIENCE

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    from tests.browser.notebook import launch

    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def screen(chromium):
    """One page of a browser for all tests of a file; each opens there what it looks at."""
    from tests.browser.notebook import PATIENCE

    screen = chromium.new_page()
    screen.set_default_timeout(PATIENCE)
    yield screen
    screen.close()


@pytest.fixture(autouse=True)
def no_event_loop(request):
    """Playwright leaves an event loop running in this thread: for all tests but its own there is
    none, so that they may start one, and so that a widget outside a kernel waits for nothing."""
    if "playwright" in request.fixturenames:
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)
