"""A notebook or a text of the project as a page of the book.

What answers a question is behind a fold that opens without a script, so that no page gives the
answer before the question. After a card, that is everything, the program too; after a question in
the prose, which is often about the program that follows, it is the output and the explanation.
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
    """The notebook for myst-nb. known: all pages of the book. figure: HTML to put under the
    title."""
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
    """Buttons that open a page live: in this browser and, if the repository is known, on Binder."""
    live = links.live(notebook, root=root)
    note = "Live in this browser. Nothing is installed."
    parts = [f'<a class="course-run" href="{live}">Run this page here</a>']
    if repository:
        parts.append(f'<a href="{links.binder(repository, notebook)}">Run it on Binder</a>')
    return f'<p class="course-buttons">{" ".join(parts)} <span>{note}</span></p>'


def as_card(cell):
    """Show a card without its call: the question as prose, the choices as a list."""
    hide_input(cell)
    card = part("card.html", "asked", card_of(cell), "course-card", begins="Predict:")
    for output in cell.outputs:
        output.data["text/html"] = card


def folded(cells):
    """The cells, with each answer between the marks of a fold."""
    opening = {answer.run: answer for answer in answers(cells) if answer.explained}
    marked, is_open = [], False
    for place, cell in enumerate(cells):
        if is_open and act(cell) in ("begins", "asks", "card"):
            marked.append(raw(CLOSE, f"{cell.id}-close"))
            is_open = False
        if place in opening and not is_open:
            before, after = parted(cell, opening[place].by_card)
            marked += [*before, raw(OPEN, f"{cell.id}-open"), *after]
            is_open = True
        else:
            marked.append(cell)
    return marked + [raw(CLOSE, "close")] * is_open


def parted(cell, after_card):
    """The parts of a run before the fold and in it. The program of a picture is in it, because its
    alt text says what the picture shows."""
    if after_card or "alt=" in source_of(cell):
        return [], [cell]
    program, result = deepcopy(cell), cell
    program.id, program.outputs = f"{cell.id}-program", []
    hide_input(result)
    return [program], [result] * bool(result.outputs)


def hide_input(cell):
    cell.metadata["tags"] = [*cell.metadata.get("tags", ()), "remove-input"]


def raw(html, id):
    return new_markdown_cell(html, id=id)


def text_page(text, page, known, repository):
    """Markdown whose links work in the book: those to other files of the project lead to the
    repository, or become plain text if that is not known."""

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
    """A picture in two versions; the page shows the one for its theme."""
    image = '<img class="only-{theme}" loading="lazy" alt="{alt}" src="{src}">'
    return "\n".join(
        image.format(theme=theme, alt=found["alt"], src=found[theme]) for theme in ("light", "dark")
    )


def linked(html):
    """The HTML of an output, with links to lessons leading to their pages."""
    html = html.replace('href="answer.ipynb"', 'href="../index.html"')
    return re.sub(r'(href="[^":]*)\.ipynb\b', r"\1.html", html)
