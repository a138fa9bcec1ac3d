"""The decks: a result comes after the slide of its question, nothing from outside, nothing cut."""

import re

import nbformat
import pytest

from tools import beats, slides
from tools.notebooks import all_notebooks

DECKS = [path for path in all_notebooks() if slides.LESSON.match(path.name)]
each = pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
SIZES = """() => [...Array(Reveal.getTotalSlides()).keys()].map(number => {
    Reveal.slide(number, 0, 99);
    const slide = Reveal.getCurrentSlide();
    const zoom = Number(slide.style.zoom || 1);
    const wide = [...slide.querySelectorAll("p, li, pre, td, img")]
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1);
    return [Math.round(slide.scrollHeight * zoom), zoom, wide.map(one => one.textContent)];
})"""
MOST_SHRUNK = {"lecture": 0.85}  # of a deck; in a lesson, one long run may take 0.6


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    out = tmp_path_factory.mktemp("slides")
    assert slides.write(out) == [path.stem for path in DECKS]
    return out


@pytest.fixture(scope="module")
def screen(chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    page.close()


@each
def test_a_result_stands_on_no_slide_of_its_question(path):
    """No card and no question has a run below it: the run is on the next slide, or later."""
    for slide, _ in slides.slides_of(nbformat.read(path, as_version=4)):
        asked = False
        for cell, _ in slide:
            does = slides.role(cell)
            assert not (asked and does == "runs"), cell.source
            asked = asked or does == "card" or beats.asks(cell)


@each
def test_all_cells_but_the_imports_are_there_in_their_order(path):
    notebook = nbformat.read(path, as_version=4)
    found = slides.slides_of(notebook)
    shown = [cell.id for slide, _ in found for cell, _ in slide]
    wanted = [c.id for c in notebook.cells if slides.role(c) not in ("skip", "notes")]
    assert shown == wanted
    assert {cell.id for _, notes in found for cell in notes} == {
        cell.id for cell in notebook.cells if slides.role(cell) == "notes"
    }


@each
def test_a_deck_fits_the_screen_and_asks_nobody(path, decks, screen):
    screen.asked.clear()
    screen.goto((decks / f"{path.stem}.html").as_uri())
    screen.wait_for_function("window.Reveal && Reveal.isReady()")
    sizes = screen.evaluate(SIZES)
    assert len(sizes) > 5
    for number, (height, zoom, too_wide) in enumerate(sizes):
        assert height <= 720 and too_wide == [], number
        assert zoom >= MOST_SHRUNK.get(path.stem, 0.6), number
    assert [url for url in screen.asked if not url.startswith(("file:", "data:"))] == []


def test_no_page_names_an_address_to_load(decks):
    for page in decks.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"""(src|href)=["']https?:|url\(["']?https?:|@import""", text)


def test_a_result_below_its_card_would_be_noticed():
    new = nbformat.v4
    question = new.new_markdown_cell("## Ask\n\nHow much?")
    card, run = new.new_code_cell('predict("03-a")'), new.new_code_cell("1 + 1")
    told = new.new_markdown_cell("It is **2**.")
    found = [
        one for one, _ in slides.slides_of(new.new_notebook(cells=[question, card, run, told]))
    ]
    assert [[cell.id for cell, _ in slide] for slide in found] == [
        [question.id, card.id],
        [run.id, told.id],
    ]
    assert found[1][1][1]  # the explanation is a fragment


def test_a_card_is_a_question_with_letters_and_says_nothing_of_running():
    new = nbformat.v4
    below = [new.new_markdown_cell("## Ask\n\nHow much?"), new.new_code_cell('predict("06-fit")')]
    panel = {"text/html": "<p>v</p><p>Run this cell to edit v.</p>"}
    run = new.new_code_cell("show()", outputs=[new.new_output("display_data", panel)])
    page = slides.deck(new.new_notebook(cells=[*below, run]), "Ask")
    assert '<ol type="A"><li>(2, 1) and (4,)</li>' in page and "commit a guess" not in page
    assert "<p>v</p>" in page and "Run this cell" not in page
    assert page.count("<section>") == 2 and '<p class="goes-on">Ask</p>' in page


def test_a_choice_of_the_lecture_has_its_letter_once():
    shown = slides.as_html(nbformat.v4.new_code_cell('predict("lecture-ones")'))
    assert '<ol type="A"><li>the right prices</li>' in shown


def test_the_lecture_has_what_is_said_in_the_notes_of_each_part(decks):
    page = (decks / "lecture.html").read_text(encoding="utf-8")
    notes = re.findall(r'<aside class="notes">(.*?)</aside>', page, re.DOTALL)
    assert len(notes) == 6 and "What they answer." in notes[0] and "history" in notes[-1]


def test_a_card_stands_on_no_panel_of_another():
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("## Look"),
        new.new_code_cell("panel"),
        new.new_code_cell('predict("06-fit")'),
    ]
    found = [slide for slide, _ in slides.slides_of(new.new_notebook(cells=cells))]
    assert [len(slide) for slide in found] == [2, 1]
