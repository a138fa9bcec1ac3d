"""The glossary and the lessons know each other: each word is linked where one introduces it."""

import re

import nbformat

from tests.cases import over
from tools.files import ROOT

NOTEBOOKS = ROOT / "notebooks"
ENTRY = re.compile(
    r"^### `?([^\n`]+)`?\n\n(.+?\[Lesson (\d\d)\]\((\S+)\.ipynb\)\.)$", re.MULTILINE | re.DOTALL
)


def text_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


LESSONS = {path.stem: text_of(path) for path in sorted(NOTEBOOKS.glob("[01]*.ipynb"))}
GLOSSARY = text_of(NOTEBOOKS / "glossary.ipynb")
TERMS = {term: (number, file) for term, _, number, file in ENTRY.findall(GLOSSARY)}
LINKS = [
    (lesson, anchor)
    for lesson, text in LESSONS.items()
    for anchor in re.findall(r"\]\(glossary\.ipynb#([^)]+)\)", text)
]


def test_a_student_finds_thirty_to_sixty_words_each_once():
    headings = re.findall(r"^### `?(.+?)`?$", GLOSSARY, re.MULTILINE)
    assert headings == list(TERMS) and 30 <= len(TERMS) <= 60


def test_a_definition_is_short():
    long = {term: len(text.split()) for term, text, *_ in ENTRY.findall(GLOSSARY)}
    assert {term: words for term, words in long.items() if words > 60} == {}


@over("term", TERMS)
def test_a_word_is_linked_once_by_the_lesson_that_introduces_it(term):
    number, file = TERMS[term]
    assert file in LESSONS and file.startswith(number)
    linking = [lesson for lesson, anchor in LINKS if anchor == term.replace(" ", "-")]
    assert linking == [file]


def test_every_link_leads_to_a_word():
    assert {anchor for _, anchor in LINKS} <= {term.replace(" ", "-") for term in TERMS}
