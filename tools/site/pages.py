"""A notebook or a text of the project as a page of the book.

What answers a question stands behind a fold that opens without a script, so that no page gives the
answer before the question: after a card all of it, the program too; after a question in the prose,
which is often about the program that follows, what the program prints and what explains it.
"""

import os
import re
from copy import deepcopy
from pathlib import PurePosixPath

from nbformat.v4 import new_markdown_cell

from tools.beats import act, answers, card_of, source_of
from tools.copies import SHOWN
from tools.files import ROOT
from tools.site import links
from tools.templates import part

ANSWER = "notebooks/answer.ipynb"  # the site's first page
OPEN = '<details class="course-answer">\n<summary>Guess first, then look</summary>'
CLOSE = "</details>"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^()\s]+)\)")
PICTURE = re.compile(
    r'<picture>\s*<source[^>]* srcset="(?P<dark>[^"]*)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]*)">\s*</picture>'
)


def lesson_page(notebook, page, known, repository, figure=""):
    """The notebook as myst-nb is to read it. known: all pages of the book. figure: HTML that stands
    under the title."""
    notebook, name = deepcopy(notebook), PurePosixPath(page).name
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = text_page(cell.source, page, known, repository)
        elif act(cell) == "card":
            as_card(cell)
        for output in cell.get("outputs", ()):
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = linked(output.data["text/html"])
    if name not in SHOWN:
        notebook.cells = folded(notebook.cells)
    if page.count("/") == 1 and page.startswith("notebooks/"):
        notebook.cells.insert(1, raw(buttons(f"{name}.ipynb", repository), "run-this-page"))
    if figure:
        notebook.cells.insert(2, raw(figure, "figure"))
    return notebook


def buttons(notebook, repository, root="../"):
    """What opens a page live: in this browser, and on Binder where the repository is known."""
    live = links.live(notebook, root=root)
    told = "Live in this browser. Nothing is installed."
    parts = [f'<a class="course-run" href="{live}">Run this page here</a>']
    if repository:
        parts.append(f'<a href="{links.binder(repository, notebook)}">Run it on Binder</a>')
    return f'<p class="course-buttons">{" ".join(parts)} <span>{told}</span></p>'


def as_card(cell):
    """A card without its call, its question as prose and its choices as a list."""
    hide_input(cell)
    shown = part("card.html", "asked", card_of(cell), "course-card", begins="Predict:")
    for output in cell.outputs:
        output.data["text/html"] = shown


def folded(cells):
    """The cells, with what answers a question between the marks of a fold."""
    opening = {answer.run: answer for answer in answers(cells) if answer.explained}
    found, is_open = [], False
    for place, cell in enumerate(cells):
        if is_open and act(cell) in ("begins", "asks", "card"):
            found.append(raw(CLOSE, f"{cell.id}-close"))
            is_open = False
        if place in opening and not is_open:
            before, after = parted(cell, opening[place].by_card)
            found += [*before, raw(OPEN, f"{cell.id}-open"), *after]
            is_open = True
        else:
            found.append(cell)
    return found + [raw(CLOSE, "close")] * is_open


def parted(cell, after_card):
    """What of a run stands before the fold, and what in it. The program of a picture says in words
    what the picture shows."""
    if after_card or "alt=" in source_of(cell):
        return [], [cell]
    program, shown = deepcopy(cell), cell
    program.id, program.outputs = f"{cell.id}-program", []
    hide_input(shown)
    return [program], [shown] * bool(shown.outputs)


def hide_input(cell):
    cell.metadata["tags"] = [*cell.metadata.get("tags", ()), "remove-input"]


def raw(html, id):
    return new_markdown_cell(html, id=id)


def text_page(text, page, known, repository):
    """Markdown whose links hold in the book: those to other files of the project lead to the
    repository, and are plain text where that is not known."""

    def link(found):
        words, address = found.groups()
        if re.match(r"[a-z]+:|#|…", address):
            return found[0]
        path = os.path.normpath(PurePosixPath(page).parent / address.partition("#")[0])
        if path == ANSWER:
            return f"[{words}]({os.path.relpath('index.ipynb', PurePosixPath(page).parent)})"
        if str(PurePosixPath(path).with_suffix("")) in known and path.endswith((".md", ".ipynb")):
            return found[0]
        if path.endswith(".html"):
            return f'<a href="{address}">{words}</a>'
        if not (ROOT / path).exists():
            return found[0]  # Sphinx will say so
        return f"[{words}]({links.project_file(repository, path)})" if repository else words

    return PICTURE.sub(in_both_themes, LINK.sub(link, text))


def in_both_themes(found):
    """A picture in two versions, of which the page shows the one of its theme."""
    image = '<img class="only-{theme}" loading="lazy" alt="{alt}" src="{src}">'
    return "\n".join(
        image.format(theme=theme, alt=found["alt"], src=found[theme]) for theme in ("light", "dark")
    )


def linked(html):
    """The HTML of an output, whose links to lessons lead to their pages."""
    html = html.replace('href="answer.ipynb"', 'href="../index.html"')
    return re.sub(r'(href="[^":]*)\.ipynb\b', r"\1.html", html)
