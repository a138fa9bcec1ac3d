"""What a lesson's prose keeps to: docs/lessons.md, "The pattern". Read once, by everybody."""

import re

import mistune
import nbformat
import pytest

from minigrad.classroom import compare
from minigrad.classroom.compare.cells import Cell
from tools.beats import act
from tools.files import ROOT
from tools.notebooks import all_notebooks

NOTEBOOKS = ROOT / "notebooks"
LESSONS = [path for path in all_notebooks() if re.match("[0-8]|lecture", path.stem)]
lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
page = pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)
render = mistune.create_markdown(plugins=["table"])

MOST_WORDS, MOST_ON_AVERAGE, MOST_BOTH = 60, 18, 8
DOCUMENT = re.compile(r"\bS[0-4]\b")
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
HEADING = re.compile(r"^#+ ", re.MULTILINE)


def cells_of(path, kind=None):
    cells = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if kind in (None, cell.cell_type)]


def prose(source):
    """What is read as sentences: without headings, programs and the addresses of links."""
    text = re.sub(r"^```.*?^```|(?<=\])\(.*?\)", "", source, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^ {4}.*$|^#.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)  # a table is looked up, not read


def words(text):
    return re.findall(r"\S*\w\S*", text)


def sentences(text):
    """Sentences, and the points of a list."""
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    parts = re.split(r"(?<=[.!?:])[*\"\u201d)_]*\s+|\n\s*\n", text)
    return [part for part in parts if words(part)]


def objections_to(source):
    """What is wrong with one cell of prose."""
    found, text = [], prose(source)
    if any(match.start() for match in HEADING.finditer(re.sub(r"^```.*?^```", "", source))):
        found.append("a heading within a cell")
    if len(words(text)) > MOST_WORDS:
        found.append(f"{len(words(text))} words")
    parts = sentences(text)
    if parts and len(words(text)) / len(parts) > MOST_ON_AVERAGE:
        found.append(f"{len(words(text)) / len(parts):.1f} words a sentence")
    if re.search(r"^>", source, re.MULTILINE) and "sources.ipynb#" not in source:
        found.append("a quotation without its source")
    return found + accidents(source)


def accidents(source):
    """Signs of markdown that are shown as they are, and emphasis where none was meant."""
    without_formulas = re.sub(r"\$[^$\n]+\$", "\u00a4", source)
    html = re.sub(r"<(pre|code)\b.*?</\1>", "\u00a4", render(without_formulas), flags=re.DOTALL)
    found = [f"emphasis in {part!r}" for part in re.findall(r"\w<em>.*?</em>|<em>.*?</em>\w", html)]
    found += [f"emphasis in {part!r}" for part in re.findall(r"<em>[^<]*[=+\[\]][^<]*</em>", html)]
    text = re.sub(r"<em>.*?</em>|<[^>]+>", "", html)
    return found + [f"a {sign} is shown" for sign in ("*", "`", "](", "|", "_") if sign in text]


@lesson
def test_a_cell_of_prose_is_read_once(path):
    found = {cell.id: objections_to(cell.source) for cell in cells_of(path, "markdown")}
    assert {name: some for name, some in found.items() if some} == {}


@page
def test_no_markdown_accident(path):
    found = {cell.id: accidents(cell.source) for cell in cells_of(path, "markdown")}
    assert {name: some for name, some in found.items() if some} == {}


@page
def test_no_document_is_called_by_a_code(path):
    """Neither in prose and programs nor in what they show; metadata name the examples."""
    shown = {}
    for cell in cells_of(path):
        texts = [cell.source]
        for output in cell.get("outputs", ()):
            texts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
        shown[cell.id] = [text for text in texts if DOCUMENT.search(text)]
    assert {name: some for name, some in shown.items() if some} == {}


def acts(path):
    """(cell, what it does), in their order."""
    return [(cell, act(cell)) for cell in cells_of(path)]


@lesson
def test_between_two_questions_something_is_run(path):
    """A cell may ask, and a card after it asks the same; then comes a run."""
    open_questions = []
    for cell, does in acts(path):
        if does == "runs":
            open_questions = []
        elif does in ("asks", "card"):
            open_questions.append((cell.id, does))
            assert [does for _, does in open_questions] in (["asks"], ["card"], ["asks", "card"])


@lesson
def test_what_a_card_asked_is_run_and_explained_before_the_next_question(path):
    everything = acts(path)
    for (card, does), (_, then), (after, last) in zip(everything, everything[1:], everything[2:]):
        if does == "card" and then == "runs":
            assert last == "explains", (card.id, after.id)


@lesson
def test_what_follows_a_run_without_a_heading_asks_nothing(path):
    everything = acts(path)
    for (_, before), (cell, does) in zip(everything, everything[1:]):
        if before == "runs" and does == "asks":
            assert cell.source.startswith("#"), cell.id


@lesson
def test_two_columns_only_where_comparing_teaches(path):
    both = [cell.id for cell in cells_of(path, "code") if cell.source.startswith("%%both")]
    assert len(both) <= MOST_BOTH


EXAMPLES = [
    pytest.param(cell, id=f"{path.stem} {cell.id}")
    for path in LESSONS
    for cell in cells_of(path, "code")
    if "example" in cell.metadata and not re.search(r"^%%|widgets\.|pictures\.", cell.source, re.M)
]


@pytest.mark.parametrize("cell", EXAMPLES)
def test_an_example_in_a_plain_cell_gives_the_same_on_both_engines(cell):
    """From its first line: so it needs no other cell, and prints what PyTorch prints."""
    comparison = compare(Cell(cell.source, outside={}))
    assert comparison.lines and comparison.problem is None
    assert [line for line in comparison.lines if not line.agrees] == []


def test_the_rules_notice():
    long = "One two three four five six seven eight nine ten eleven twelve. " * 6
    for source, objection in [
        (f"## A\n\n{long}", "72 words"),
        ("## A\n\nIt is 4.\n\n## B", "a heading within a cell"),
        (long, "72 words"),
        ("word " * 20, "20.0 words a sentence"),
        ("> Because.", "a quotation without its source"),
        ('> "maybe it\'s 2*a*a" [x](sources.ipynb#y)', "emphasis in '2<em>a</em>'"),
        ("2 * a is not `a`", "a * is shown"),
        ("a_b_c is no code, $a_b$ is a formula", "a _ is shown"),
    ]:
        assert objection in objections_to(source), source
    assert objections_to("## Ask\n\nIt is `2*a*a`, **not** *a*. [Why](glossary.ipynb#Why).") == []
