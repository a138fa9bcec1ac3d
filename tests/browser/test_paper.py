"""A lesson on paper: exported as HTML, no wider than an A4 page; on a phone, it scrolls instead."""

import re

import nbformat
import pytest
from nbconvert import HTMLExporter

from minigrad.classroom import widgets
from minigrad.classroom.lessons import course
from tools.files import ROOT

A4, PHONE = 718, 390  # pixels: 210 mm less two margins of 1 cm, and a narrow screen
LONG = "a_line_of_a_program(" + ", ".join(f"argument_{k}" for k in range(8)) + ")"
CUT = """() => [...document.querySelectorAll("img, pre")].filter(shown =>
    shown.getBoundingClientRect().right > innerWidth || shown.scrollWidth > shown.clientWidth + 1
).map(shown => shown.alt || shown.innerText)"""


@pytest.fixture(scope="module")
def html():
    """A notebook with the map, a widget's still of each kind, and a cell with a long line."""
    shown = (
        course.picture()._repr_html_(),
        widgets.NudgeMeter().still(),
        widgets.UpstreamEditor().still(),
    )
    new = nbformat.v4
    outputs = [new.new_output("display_data", {"text/html": html}) for html in shown]
    cell = new.new_code_cell(LONG, outputs=outputs)
    return HTMLExporter().from_notebook_node(new.new_notebook(cells=[cell]))[0]


@pytest.fixture
def exported(screen, html):
    screen.emulate_media(media="screen")
    screen.set_viewport_size({"width": A4, "height": 1000})
    screen.goto("about:blank")
    screen.set_content(html, wait_until="domcontentloaded")
    return screen


def test_nothing_is_cut_off_on_paper(exported):
    assert len(exported.evaluate(CUT)) >= 3  # on a screen so wide the same page scrolls
    exported.emulate_media(media="print")
    assert exported.evaluate(CUT) == []


def test_on_a_phone_stills_keep_their_size_and_scroll(exported):
    exported.set_viewport_size({"width": PHONE, "height": 800})
    sizes = (
        "() => [...document.images].map(image => [image.width, image.parentElement.clientWidth])"
    )
    for own, room in exported.evaluate(sizes):
        assert own > 700 and room < PHONE
    assert exported.evaluate("() => document.documentElement.scrollWidth") == PHONE


BOOK = 660  # pixels: a column of the book, and about what a page on GitHub gives


@pytest.mark.parametrize("name", widgets.__all__)
def test_a_still_fits_a_column_of_the_book(name, screen):
    """A still has the rules for narrow panels, too: nothing stands beside its paper."""
    screen.emulate_media(media="screen")
    screen.set_viewport_size({"width": BOOK, "height": 1000})
    screen.goto("about:blank")
    opened = ("1 + 1?", 2) if name == "PredictCard" else ()
    screen.set_content(getattr(widgets, name)(*opened).still())
    wide = "() => [...document.querySelectorAll('.mg-still, .mg-still .mg-scroll')].filter("
    assert (
        screen.evaluate(wide + "e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)")
        == []
    )


def test_the_handout_is_two_pages_and_nothing_is_cut_off(chromium):
    page = chromium.new_page(viewport={"width": 673, "height": 1000})  # A4 less its margins
    page.goto((ROOT / "docs" / "handout.html").as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    page.close()
