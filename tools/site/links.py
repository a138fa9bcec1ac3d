"""Where things stand on the site and beside it, each address made in one place."""

import os
import re
import subprocess
from urllib.parse import quote

from tools.files import ROOT

LIVE = "live/notebooks/index.html"


def live(notebook, root=""):
    """Where a notebook opens live, at its top: course.js adds a heading's anchor. root: the way to
    the site's root."""
    return f"{root}{LIVE}?path={quote(notebook)}"


def anchor(heading):
    """The name under which Jupyter finds a heading, and so the lessons' own links."""
    return heading.replace(" ", "-")


def binder(repository, notebook):
    """Where Binder opens a learner's copy of a notebook."""
    place = quote(f"lab/tree/my-lessons/{notebook}", safe="")
    return f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath={place}"


def project_file(repository, path):
    """Where a file of the project can be read."""
    return f"https://github.com/{repository}/blob/HEAD/{quote(path)}"


def repository():
    """OWNER/NAME on GitHub of the project as it lies here; "" where that is not known."""
    told = os.environ.get("GITHUB_REPOSITORY", "")
    if not told:
        git = ["git", "-C", str(ROOT), "config", "--get", "remote.origin.url"]
        try:
            told = subprocess.run(git, capture_output=True, text=True).stdout.strip()
        except OSError:  # no git here
            return ""
        found = re.search(r"github\.com[:/]([^/\s]+/[^/\s]+?)(\.git)?/?$", told)
        told = found[1] if found else ""
    return told
