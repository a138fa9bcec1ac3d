"""The book: the lessons as they are stored, and the pages around them, for any browser.

Sphinx makes it, with myst-nb and sphinx-book-theme, from a folder that is laid out like the
project: a page is where its source is, so the links between them work. That folder is new each
time. Nothing is executed, and no page contacts another host.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from minigrad.classroom.lessons.course import COURSE
from tools.files import ROOT
from tools.site import api, links
from tools.site.answer import PAGE as ANSWER
from tools.site.answer import answer_page, with_figure
from tools.site.pages import lesson_page, text_page
from tools.templates import render

SOURCE = Path(__file__).parent / "book_source"
CONTENTS = ("more.md", "lecturers.md")  # the ends of the first page and of that for lecturers
ENTRY = re.compile(r"^(?:.* <)?/([\w/-]+)>?$", re.MULTILINE)  # of a table of contents
ICONS = "fontawesome.js"
ICONS_SCRIPT = re.compile(rf'<script defer src="[^"]*{ICONS}[^"]*"></script>\s*')
# Only the search page needs the words of all pages; the others link to it.
SEARCH_SCRIPTS = re.compile(
    r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>\s*'
)
LEFT_OUT = {".buildinfo", "_sources", "locales", ICONS, f"{ICONS}.LICENSE.txt"}
LEFT_OUT |= {"webpack-macros.html", "sbt-webpack-macros.html"}  # of the theme's templates
WITH_FIGURE = "notebooks/03-weigh-outputs"
AS_IT_IS = ["docs/handout.html", "docs/widgets"]  # copied beside the pages


def build(out, repository=None):
    """Write the book to `out`, the root of the site. repository: OWNER/NAME; by default, what
    GitHub or git says. Raises RuntimeError with Sphinx's output if it warns of anything."""
    repository = links.repository() if repository is None else repository
    with tempfile.TemporaryDirectory() as made:
        source, pages = Path(made) / "source", Path(made) / "pages"
        lay_out(source, repository)
        run_sphinx(source, pages)
        shutil.copytree(pages, out, dirs_exist_ok=True)


def lay_out(source, repository):
    """Write all that Sphinx reads into a new folder."""
    shutil.copytree(SOURCE, source)
    more, for_lecturers = (render(name, lessons=COURSE) for name in CONTENTS)
    known = {"index", *ENTRY.findall(more + for_lecturers)}
    for page in sorted(known - {"index", "api/index"}):
        write(source, page, known, repository)
    with (source / "notebooks/instructor/README.md").open("a", encoding="utf-8") as page:
        page.write(for_lecturers)
    first = nbformat.read(ROOT / f"{ANSWER}.ipynb", as_version=4)
    nbformat.write(answer_page(first, known, repository, more), source / "index.ipynb")
    for name in AS_IT_IS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        (source / "as_it_is" / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / "as_it_is" / name)
    shutil.copyfile(ROOT / "docs" / "engine.svg", source / "docs" / "engine.svg")
    for name, text in api.pages().items():
        (source / "api").mkdir(exist_ok=True)
        (source / "api" / f"{name}.md").write_text(text, encoding="utf-8")


def write(source, page, known, repository):
    """A page's source, from its notebook or its text in the project."""
    path, target = ROOT / f"{page}.ipynb", source / f"{page}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        figure = with_figure("lesson") if page == WITH_FIGURE else ""
        notebook = nbformat.read(path, as_version=4)
        nbformat.write(lesson_page(notebook, page, known, repository, figure), target)
    else:
        text = path.with_suffix(".md").read_text(encoding="utf-8")
        target.with_suffix(".md").write_text(
            text_page(text, page, known, repository), encoding="utf-8"
        )


def run_sphinx(source, out):
    """Make the pages, with the same bytes each time."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    doctrees = source.parent / "doctrees"
    settings = {
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "0"),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        [*command, "-d", doctrees, source, out],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(
            f"The book could not be built. Sphinx says:\n{done.stderr or done.stdout}"
        )
    lighten(out)


def lighten(out):
    """Leave out what no page needs. The theme has its icons twice: as a font, which works without
    scripts, and as a script of 1.5 MB."""
    for path in list(out.rglob("*")):
        if path.name in LEFT_OUT or path.suffix == ".map":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif path.suffix == ".html":
            text = ICONS_SCRIPT.sub("", path.read_text(encoding="utf-8"))
            if path.name != "search.html":
                text = SEARCH_SCRIPTS.sub("", text)
            text = text.replace("<html ", '<html data-theme="light" ', 1)  # until a script runs
            path.write_text(text, encoding="utf-8")
