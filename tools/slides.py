"""The lessons as slides that need no network.

    python3 run.py slides OUT [notebook ...]       without names: every lesson

Each slide has one idea. A result is never on the slide of its question: what a cell shows comes on
the next slide, and its explanation there as a fragment, or on a slide of its own if both would not
fit. A slide that continues repeats its heading. A predict card is a question to vote on. Small
print is in the speaker notes (press S). Panels are stored pictures; `run.py lab --slides` has live
ones. reveal.js comes with the installed package sphinx-revealjs.
"""

import html
import re
import shutil
import sys
from importlib import resources
from pathlib import Path

import mistune
import nbformat
from latex2mathml.converter import convert
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools import files
from tools.beats import act, asks, card_of
from tools.files import ROOT
from tools.notebooks import all_notebooks
from tools.templates import filters, part, render

REVEAL = ("dist/reveal.js", "dist/reveal.css", "plugin/notes/notes.js")
LESSON = re.compile(r"[0-8]\d-|lecture")
MOST = 17  # lines that fit on a slide, at the size in slides.html
WORDS_A_LINE = 12
FOR_READERS = re.compile(r"(- )?\*\*(You need|Time)\*\*")  # for self-study only
HEADING = re.compile(r"#+ *(.*)")
SPEECH = re.compile(r"^### Minute.*?\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
NOTES = {"slideshow": {"slide_type": "notes"}}
RUN_IT = re.compile(  # for readers who have the notebook
    r"<p>Run this cell to [^<]*</p>|^ *\(commit a guess, or press show me\)\n?", re.M
)

markdown = mistune.create_markdown(plugins=["table", "math"], escape=False)
markdown.renderer.register("inline_math", lambda _, latex: convert(latex))
markdown.renderer.register("block_math", lambda _, latex: convert(latex, display="block"))


def slides_of(notebook):
    """[([(cell, is a fragment)], [notes])], the slides of a notebook."""
    slides, asked = [([], [])], False
    for cell in notebook.cells:
        (on_it, notes), kind = slides[-1], role(cell)
        if kind == "notes":
            notes.append(cell)
        if kind in ("notes", "skip"):
            continue
        full = sum(lines(other) for other, _ in on_it) + lines(cell) > MOST
        full |= kind == "card" and any(role(other) == "runs" for other, _ in on_it)
        if kind in ("begins", "runs") and (asked or kind == "begins") or full:
            on_it = []
            slides.append((on_it, []))
        asked = kind == "card" or kind != "runs" and (asked and kind != "begins" or asks(cell))
        on_it.append((cell, kind == "explains" and len(on_it) > 0))
    return [slide for slide in slides if slide[0]]


def role(cell):
    """What a cell does on a slide: as in a lesson's beats, or "notes", or "skip"."""
    kind = cell.metadata.get("slideshow", {}).get("slide_type")
    if kind in ("notes", "skip"):
        return kind
    if FOR_READERS.match(cell.source):
        return "skip"
    if act(cell) == "asks":
        return "begins" if cell.source.startswith("#") else "explains"
    return act(cell)


def lines(cell):
    """The height of a cell on a slide, in lines of text: an estimate; the page fits the rest."""
    if cell.cell_type == "markdown":
        parts = [part for part in cell.source.split("\n\n") if part.strip()]
        parts = [line for part in parts for line in re.split(r"\n(?=[-*>] )", part)]
        return sum(1.4 + len(part.split()) // WORDS_A_LINE for part in parts)
    if act(cell) == "card":
        asked = card_of(cell)
        return 2 + len(asked.question.split()) // WORDS_A_LINE + 1.1 * len(asked.choices or ())
    height = 0
    for output in cell.get("outputs", ()):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        html = output.get("data", {}).get("text/html", "")
        drawn = 15 if "mg-still" in html else 11 if "<img" in html else 0  # a panel, or a picture
        height += drawn or 0.8 * len(text.splitlines())
    return 0.8 * len(cell.source.splitlines()) + height


def as_html(cell):
    """A cell as HTML for a slide."""
    if cell.cell_type == "markdown":
        source = cell.source.removeprefix("After the run:")  # what a folded cell still shows
        return re.sub(r"<a [^>]*>(.*?)</a>", r"\1", markdown(source), flags=re.DOTALL)
    if act(cell) == "card":
        return part("card.html", "asked", card_of(cell), "card", lettered=True)
    parts = [highlight(cell.source, PythonLexer(), HtmlFormatter(nowrap=False))]
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "text/html" in data:
            parts.append(f'<div class="shown">{RUN_IT.sub("", data["text/html"])}</div>')
        else:
            text = output.get("text") or data.get("text/plain") or output.get("evalue", "")
            parts.append(f'<pre class="shown">{html.escape(text)}</pre>')
    return "\n".join(parts)


def deck(notebook, title):
    """The page of a deck; reveal.js is in the folder beside it."""
    slides, heading = [], ""
    for cells, notes in slides_of(notebook):
        begun = HEADING.match(cells[0][0].source)
        heading = begun[1] if begun else heading
        slides.append({"goes_on": "" if begun else heading, "cells": cells, "notes": notes})
    colours = Markup(HtmlFormatter().get_style_defs(".highlight"))
    return render("slides.html", title=title, slides=slides, colours=colours)


def with_speech(notebook, name):
    """The notebook, with the minute-by-minute notes for lecturers as speaker notes."""
    path = ROOT / "notebooks" / "instructor" / f"{name}.md"
    text = path.read_text("utf-8") if path.exists() else ""
    headings = [cell for cell in notebook.cells if cell.source.startswith("#")]
    for heading, said in zip(headings, SPEECH.findall(text)):
        speech = nbformat.v4.new_markdown_cell(said, metadata=NOTES)
        notebook.cells.insert(notebook.cells.index(heading) + 1, speech)
    return notebook


def write(out, names=()):
    """Write the decks of these notebooks, or of all lessons, and a page that lists them."""
    (out / "reveal").mkdir(parents=True, exist_ok=True)
    reveal = resources.files("sphinx_revealjs") / "_static" / "revealjs"
    for name in REVEAL:
        shutil.copyfile(reveal / name, out / "reveal" / Path(name).name)
    wanted = [Path(name) for name in names] or [p for p in all_notebooks() if LESSON.match(p.name)]
    decks = []
    for path in wanted:
        notebook = with_speech(nbformat.read(path, as_version=4), path.stem)
        decks.append((path.stem, re.match(r"#* *(.*)", notebook.cells[0].source)[1]))
        files.write(out / f"{path.stem}.html", deck(notebook, decks[-1][1]))
    files.write(out / "index.html", render("decks.html", decks=decks))
    return [path.stem for path in wanted]


filters["cell"] = lambda cell: Markup(as_html(cell))
filters["inline"] = lambda text: Markup(markdown(text)[3:-5])  # without its paragraph


def main(*arguments):
    if not arguments:
        sys.exit("Name a folder: python3 run.py slides OUT")
    out = Path(arguments[0])
    made = write(out, arguments[1:])
    print(f"{len(made)} decks; open {out / 'index.html'} in a browser. S shows the notes.")


if __name__ == "__main__":
    main(*sys.argv[1:])
