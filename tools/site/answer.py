"""The site's first page: notebooks/answer.ipynb, with figures that move where it has widgets.

What a reader runs in JupyterLab stands here as it was stored; a cell called `figure-NAME` shows the
figure of that name. The page stands at the root of the site, so its links begin with `notebooks/`.
"""

import re
from copy import deepcopy
from html import escape

from minigrad.classroom.lessons import every_card
from tools.site import figures
from tools.site.pages import CLOSE, OPEN, buttons, raw, text_page

NOTEBOOK = "answer.ipynb"
PAGE = "notebooks/answer"
LEFT_OUT = ("imports", "seam-code")  # the picture above has a cut of its own
_SCRIPT = f'<script type="module">{figures.script()}</script>'
TORCH_LINE = re.compile(r"^Here `torch` is minigrad.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def answer_page(notebook, known, repository, more):
    """The page as myst-nb is to read it. more: Markdown that stands at its end."""
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
            cells.append(raw(card(*re.findall(r'"(.+?)"', cell.source)), cell.id))
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
    """A figure for the page of a lesson, with all that it needs."""
    return f"<div><style>{figures.style()}</style>{figures.figure(name)}{_SCRIPT}</div>"


def card(name):
    """A card to read: its question, and behind a fold the answer and what led to wrong guesses."""
    options = every_card()[name].options()
    choices = "".join(f"<li>{escape(one)}</li>" for one in options["choices"] or ())
    wrong = "".join(
        f"<li><code>{escape(_told(guess))}</code>: {escape(line)}</li>"
        for guess, line in options["misconceptions"]
    )
    return (
        f'<div class="course-card"><p>{escape(options["question"])}</p>'
        + (f"<ul>{choices}</ul>" if choices else "")
        + f"</div>{OPEN}"
        f"<p><strong><code>{escape(_told(options['answer']))}</code></strong>. "
        f"{escape(options['why'])}</p><p>If you guessed</p><ul>{wrong}</ul>{CLOSE}"
    ).replace("\n", "")


def _told(value):
    """A guess as a reader would write it: [6, 3], 7, (8, 4)."""
    return re.sub(r"\.0\b", "", str(value))
