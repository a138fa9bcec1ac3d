"""The site's first page: notebooks/answer.ipynb, with moving figures in place of its widgets.

Other outputs are shown as stored; a cell called `figure-NAME` shows the figure of that name. The
page is at the root of the site, so its links begin with `notebooks/`.
"""

import re
from copy import deepcopy

from tools.beats import card_of
from tools.site import figures
from tools.site.pages import CLOSE, OPEN, buttons, raw, text_page
from tools.templates import part

NOTEBOOK = "answer.ipynb"
PAGE = "notebooks/answer"
LEFT_OUT = ("imports", "seam-code")  # the figure above seam-code has its own cut
_SCRIPT = f'<script type="module">{figures.script()}</script>'
TORCH_LINE = re.compile(r"^Here `torch` is minigrad.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def answer_page(notebook, known, repository, more):
    """The page for myst-nb. more: Markdown to put at its end."""
    notebook, cells = deepcopy(notebook), []
    for cell in notebook.cells:
        if cell.id in LEFT_OUT:
            continue
        if cell.cell_type == "markdown":
            text = text_page(TORCH_LINE.sub("", cell.source), PAGE, known, repository)
            cell.source = re.sub(r"\]\((?!\w+:|#)", "](notebooks/", text)
            cells.append(cell)
        elif cell.id.startswith("figure-"):
            shows_program = not re.match(r"(widgets|pictures)\.|a = ", cell.source)
            cells += [cell] * shows_program
            cells.append(raw(figures.figure(cell.id.removeprefix("figure-")), cell.id + "-moving"))
        elif cell.source.startswith("predict("):
            cells.append(raw(part("card.html", "answered", card_of(cell), OPEN, CLOSE), cell.id))
        else:
            cell.source = cell.source.removeprefix("%%both\n")
            cells.append(cell)
    cells.insert(1, raw(f"<style>{figures.style()}</style>", "figures-style"))
    cells.insert(2, raw(buttons(NOTEBOOK, repository, root=""), "run-this-page"))
    cells.append(raw(more, "more"))
    cells.append(raw(_SCRIPT, "figures-script"))
    notebook.cells = cells
    return notebook


def with_figure(name):
    """A figure for the page of a lesson, with its style and script."""
    return f"<div><style>{figures.style()}</style>{figures.figure(name)}{_SCRIPT}</div>"
