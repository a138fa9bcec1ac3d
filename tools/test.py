"""Run the tests, with a browser for those that need one.

python3 run.py test [arguments for pytest]      as in: run.py test tests/engine -k broadcast
"""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

from run import ROOT, apt_install, become, run

# For pytest, besides pyproject.toml: four workers, as each often waits, and a whole file for one
# worker, because the tests of a page share it. conftest.py orders the files.
OPTIONS = ["-rs", "-n4", "--dist=loadfile", "--no-loadscope-reorder"]
# Names that a browser may have here. The first draws no window at all, which takes a tenth less.
BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser"]
BROWSERS += ["google-chrome", "google-chrome-stable"]
NONE_FOUND = (
    "The browser tests need Chromium or Chrome, and none could be found, downloaded or "
    "installed: install one, or name yours in the environment variable MINIGRAD_BROWSER."
)
NO_PLAYWRIGHT = (
    "Playwright, which the browser tests use to drive the browser, does not start: "
    "'playwright --version' in the folder .venv says why."
)


def main(arguments):
    if reaches_browser_tests(arguments):
        # Bare Debian machines lack a library of Playwright's.
        if not playwright_starts() and not (
            apt_install("libatomic1", "Playwright needs it") and playwright_starts()
        ):
            sys.exit(NO_PLAYWRIGHT)
        os.environ["MINIGRAD_BROWSER"] = find_browser() or sys.exit(NONE_FOUND)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of Pythons read the same modules
    os.chdir(ROOT)
    become(sys.executable, "-m", "pytest", *OPTIONS, *arguments)


BROWSER_TESTS = [ROOT / "tests" / "browser", ROOT / "tests" / "deployment"]


def reaches_browser_tests(arguments):
    """Whether pytest would run tests that need a browser, by the paths that are named, if any."""
    named = [(ROOT / one.split("::")[0]).resolve() for one in arguments if one[0] != "-"]
    paths = [path for path in named if path.exists()]
    return not paths or any(
        path.is_relative_to(folder) or folder.is_relative_to(path)
        for path in paths
        for folder in BROWSER_TESTS
    )


def find_browser():
    """The path of a Chromium or Chrome: the one named, an installed one, Playwright's, Debian's."""
    named = os.environ.get("MINIGRAD_BROWSER")
    if named:
        if starts(named):
            return named
        sys.exit(f"MINIGRAD_BROWSER names {named}, which does not start: correct it or unset it.")
    browser = installed_browser()
    if not browser:
        print("There is no Chromium or Chrome here; downloading Playwright's ...", flush=True)
        run(sys.executable, "-m", "playwright", "install", "--no-shell", "chromium")
        browser = installed_browser()
    # Debian has Chromium without a window as a package of its own, and Ubuntu has not.
    for package in ("chromium-headless-shell", "chromium"):
        if not browser and apt_install(package, "the browser tests need one"):
            browser = installed_browser()
    return browser


def installed_browser():
    """The path of a Chromium or Chrome that is on this machine and starts, else None."""
    here = [path for path in map(which, BROWSERS) if path]
    return next(filter(starts, here), None) or playwright_browser()


def playwright_starts():
    return run(sys.executable, "-m", "playwright", "--version", quiet=True) == 0


def playwright_browser():
    """The path of the Chromium that Playwright has downloaded, if it has and it starts."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if starts(path) else None


def starts(path):
    """Whether it runs: Ubuntu's chromium-browser may only print a note about snaps, or system
    libraries may be missing. (On Windows, asking for the version opens a window.)"""
    if os.name == "nt":
        return Path(path).exists()
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    main(sys.argv[1:])
