"""The addresses of pages on the site and elsewhere, each made in one place."""

import os
import re
import subprocess
from urllib.parse import quote

from tools.files import ROOT


def live(notebook, root=""):
    """Where a notebook opens live, at its top; course.js adds a heading's anchor. root: the path to
    the site's root."""
    return f"{root}live/notebooks/index.html?path={quote(notebook)}"


def anchor(heading):
    """The name by which Jupyter finds a heading, and so do the lessons' own links."""
    return heading.replace(" ", "-")


def binder(repository, notebook):
    """Where Binder opens a learner's copy of a notebook."""
    place = quote(f"lab/tree/my-lessons/{notebook}", safe="")
    return f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath={place}"


def project_file(repository, path):
    """Where a file of the project can be read."""
    return f"https://github.com/{repository}/blob/HEAD/{quote(path)}"


def repository():
    """OWNER/NAME of this copy of the project on GitHub; "" if that is not known."""
    name = os.environ.get("GITHUB_REPOSITORY", "")
    if not name:
        git = ["git", "-C", str(ROOT), "config", "--get", "remote.origin.url"]
        try:
            url = subprocess.run(git, capture_output=True, text=True).stdout.strip()
        except OSError:  # no git here
            return ""
        found = re.search(r"github\.com[:/]([^/\s]+/[^/\s]+?)(\.git)?/?$", url)
        name = found[1] if found else ""
    return name
