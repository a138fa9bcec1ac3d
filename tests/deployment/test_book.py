"""The book: whole, from no other host, and no page answers its own question.

The pages are those of one build. What a browser must do is asked of a sample of them.
"""

import os
import re
from copy import copy
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from tests.notebooks.test_prose import FORMULA
from tools import beats
from tools.copies import SHOWN
from tools.files import ROOT
from tools.notebooks import all_notebooks
from tools.site import book, figures, links, pages

LESSONS = [path for path in all_notebooks() if path.stem not in SHOWN]
LOADED = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "audio": "src"}
LOADED |= {"video": "src", "object": "data", "embed": "src", "link": "href", "use": "href"}
CSS_LOADS = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^"')]*""")
each = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
KINDS = (
    "index",
    "notebooks/00-set-out",
    "notebooks/90-pick-a-widget",
    "notebooks/instructor/README",
    "docs/where-to-run",
    "api/autograd",
    "search",
)
# In the page: every fold open, and colours that have come to where a theme lets them fade.
OPEN_AND_AT_REST = """() => {
    document.querySelectorAll("details").forEach(fold => fold.open = true);
    document.getAnimations().forEach(one => one.finish());
}"""
WIDE = (
    *KINDS,
    "docs/engine",
    "notebooks/09-free-graph",
    "notebooks/index",
    "api/nn",
    "genindex",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    book.build(out, repository="")
    return out


@pytest.fixture
def look(screen, site):
    """look(page, ...) opens a page of the book, on one screen for all tests."""

    def look_at(page, width=1280, theme="light"):
        screen.set_viewport_size({"width": width, "height": 900})
        screen.emulate_media(color_scheme=theme)
        screen.goto((site / f"{page}.html").as_uri())
        return screen

    return look_at


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def all_pages(site):
    found = sorted(site.rglob("*.html"))
    found = [path for path in found if path.relative_to(site).parts[0] != "_static"]
    assert len(found) > 50
    return found


def page_at(site, path):
    """Where a notebook's page is: the answer is the first."""
    return site / ("index.html" if path.stem == "answer" else f"notebooks/{path.stem}.html")


def page_of(site, path):
    return soup(page_at(site, path))


# ------------------------------------------------------------------------ whole, and from here


def test_no_page_loads_anything_from_outside(site):
    asked = [
        (path.name, attributes[LOADED[tag]])
        for path in all_pages(site)
        for tag, attributes in tags(path)
        if re.match(r"\s*(https?:)?//", attributes.get(LOADED.get(tag)) or "")
    ]
    for path in [*site.rglob("*.css"), *all_pages(site)]:
        asked += [(path.name, at) for at in CSS_LOADS.findall(path.read_text(encoding="utf-8"))]
    assert asked == []


def test_every_link_within_the_book_finds_its_page_and_place(site):
    found = {}  # on which page: each once, because all pages have the same menu
    for path in all_pages(site):
        for _, attributes in tags(path):
            address = urlsplit(attributes.get("href") or attributes.get("src") or "")
            if not address.scheme and not address.netloc:
                inside = unquote(address.path)
                target = os.path.normpath(path.parent / inside) if inside else str(path)
                found.setdefault((target, address.query, unquote(address.fragment)), path.name)
    assert [(name, *link) for link, name in found.items() if not leads(site, *link)] == []


def leads(site, target, query, place):
    """Whether there is such a file, and in it a place of this name."""
    target = Path(target)
    if target.is_relative_to(site / "live"):
        return (ROOT / "notebooks" / query.removeprefix("path=")).is_file()
    place = place if target.suffix == ".html" else ""
    return target.is_file() and (not place or place in places(target))


@cache
def tags(path):
    """All tags of a page with their attributes."""
    found, parser = [], HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(path.read_text(encoding="utf-8"))
    return found


@cache
def places(path):
    return {attributes["id"] for _, attributes in tags(path) if "id" in attributes}


def test_every_notebook_and_every_lecturers_note_has_a_page(site):
    notes = (ROOT / "notebooks" / "instructor").glob("*.md")
    for path in notes:
        assert (site / path.relative_to(ROOT)).with_suffix(".html").is_file()
    assert all(page_at(site, path).is_file() for path in all_notebooks())


def test_the_names_of_minigrad_are_there_with_their_docstrings(site):
    functions = (site / "api" / "functions.html").read_text(encoding="utf-8")
    tensor = soup(site / "api" / "tensor.html")
    assert 'id="minigrad.matmul"' in functions and 'id="minigrad.cat"' in functions
    backward = tensor.find(id="minigrad.Tensor.backward").find_parent("dl").text
    assert "gradient" in backward and "retain_graph" in backward
    assert soup(site / "api" / "nn.html").find(id="minigrad.nn.Module.parameters")
    assert not [path for path in site.glob("api/*.html") if "at 0x" in soup(path).text]


# ------------------------------------------------------------- no answer beside its question


@each
def test_what_answers_a_question_is_behind_a_closed_fold(path, site):
    page, cells = page_of(site, path), nbformat.read(path, as_version=4).cells
    folds = page.find_all("details", class_="course-answer")
    answers = [answer for answer in beats.answers(cells) if answer.explained]
    assert len(folds) == len(answers) and not any(fold.has_attr("open") for fold in folds)
    for fold, answer in zip(folds, answers):
        behind = squeezed(fold.text)
        for text in printed(cells[answer.run]):
            assert squeezed(text) in behind
        explained = squeezed(words(without_formulas(fold)))
        for place in answer.explained:
            told = FORMULA.sub("", cells[place].source)
            assert squeezed(words(told)) in explained
        if answer.by_card:
            assert squeezed(cells[answer.run].source) in behind


@each
def test_a_card_is_followed_by_its_fold(path, site):
    """Nothing stands between a card and the fold but prose and other cards."""
    page, cells = page_of(site, path), nbformat.read(path, as_version=4).cells
    cards = page.find_all(class_="course-card")
    assert len(cards) == sum(beats.act(cell) == "card" for cell in cells)
    for card in cards:
        after = card.find_next(lambda tag: is_fold(tag) or is_run(tag))
        assert is_fold(after), card.text


def is_fold(tag):
    return tag.name == "details" and "course-answer" in tag.get("class", ())


def is_run(tag):
    return "cell" in tag.get("class", ()) and not tag.find(class_="course-card")


def without_formulas(part):
    """The text of a part of a page but for its formulas, which are not letter by letter LaTeX's."""
    part = copy(part)
    for formula in part.find_all("math"):
        formula.decompose()
    return part.text


def printed(cell):
    """What a cell printed, as text."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
        elif "text/html" not in output.get("data", {}):
            yield output.get("data", {}).get("text/plain", "")


def squeezed(text):
    return re.sub(r"\s+", "", text)


def words(text):
    """Letters and digits alone: without the marks of Markdown, which pages have not."""
    return re.sub(r"\]\([^)]*\)|[^\w]|_", "", text)


def test_an_answer_outside_of_its_fold_would_be_noticed():
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("# Title"),
        new.new_markdown_cell("**How much?**"),
        new.new_code_cell("1 + 1", outputs=[new.new_output("stream", text="2")]),
        new.new_markdown_cell("Two."),
        new.new_markdown_cell("## Next"),
    ]
    found = pages.folded(cells)
    texts = [cell.source for cell in found]
    opened, closed = texts.index(pages.OPEN), texts.index(pages.CLOSE)
    assert found[opened - 1].outputs == [] and found[opened - 1].source == "1 + 1"
    assert (
        found[opened + 1].outputs and texts[opened + 2] == "Two." and texts[closed + 1] == "## Next"
    )


# ----------------------------------------------------------------------- from page to live page


@pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)
def test_each_notebook_opens_live_by_one_button(path, site):
    (button,) = page_of(site, path).find_all("a", class_="course-run")
    root = "" if path.stem == "answer" else "../"
    assert button["href"] == f"{root}live/notebooks/index.html?path={path.name}"
    assert button.text == "Run this page here" and not button.has_attr("target")


def test_binder_is_offered_where_the_repository_is_known(site, monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "ada/course")
    assert links.repository() == "ada/course"
    assert "mybinder.org/v2/gh/ada/course/HEAD" in pages.buttons("03-x.ipynb", links.repository())
    whole = [path.read_text(encoding="utf-8") for path in all_pages(site)]
    assert not any("mybinder.org/v2" in text for text in whole)
    # Two texts tell how one would write it for one's own copy.
    assert not any(re.search(r'href="[^"]*OWNER', text) for text in whole)


@pytest.mark.parametrize(
    "remote, known",
    [
        ("https://github.com/ada/course.git", "ada/course"),
        ("git@github.com:ada/course.git", "ada/course"),
        ("https://github.com/ada/course", "ada/course"),
        ("https://example.org/ada/course", ""),
        ("", ""),
    ],
)
def test_the_repository_is_read_off_the_remote(remote, known, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setattr(
        links.subprocess, "run", lambda *_, **__: type("Done", (), {"stdout": remote})
    )
    assert links.repository() == known


@pytest.mark.parametrize(
    "repository, shown",
    [
        ("", "see the table"),
        ("ada/x", "see [the table](https://github.com/ada/x/blob/HEAD/deploy/README.md)"),
    ],
)
def test_a_link_to_another_file_leads_to_the_repository_or_is_plain_text(repository, shown):
    text = "see [the table](../deploy/README.md)"
    assert pages.text_page(text, "docs/where-to-run", {"docs/engine"}, repository) == shown
    kept = "see [the table](engine.md#top), [that](https://a.b)"
    assert pages.text_page(kept, "docs/where-to-run", {"docs/engine"}, repository) == kept


# ---------------------------------------------------------------------------- the first page

HEAVIEST = 890_000  # bytes of the first page and all it loads, before compression


def test_the_first_page_is_the_answer_with_its_figures(site):
    page = soup(site / "index.html")
    assert page.h1.text.startswith("What goes inside backward()?")
    shown = [figure["class"][1].removeprefix("mg-") for figure in page.find_all("figure")]
    assert shown == [name for name in figures.FIGURES if name != "lesson"]
    assert all(figure["aria-label"] and figure.figcaption for figure in page.find_all("figure"))
    assert len(page.find_all("math")) >= 20 and "$" not in page.article.text
    folds = page.find_all("details", class_="course-answer")
    assert len(folds) == 5 and not any(fold.has_attr("open") for fold in folds)
    assert not page.find(string=re.compile("predict\\(|widgets\\.|%%both"))


def test_the_first_page_is_light(site, chromium):
    screen, loaded = chromium.new_page(), {}
    screen.on("request", lambda asked: loaded.setdefault(asked.url, asked))
    screen.goto((site / "index.html").as_uri(), wait_until="networkidle")
    paths = [unquote(urlsplit(url).path) for url in loaded if url.startswith("file:")]
    assert sum(Path(path).stat().st_size for path in paths) <= HEAVIEST
    assert screen.locator(".mg-moves").count() == 6
    screen.close()


def test_python_is_fetched_ahead_by_whoever_points_at_the_button_and_not_before(site, chromium):
    screen, asked = chromium.new_page(), []
    lock = '{"packages": {"numpy": {"file_name": "numpy.whl"}}}'

    def serve(route):
        path = unquote(urlsplit(route.request.url).path)
        asked.append(path)
        if "/live/" in path:
            route.fulfill(body=lock if path.endswith(".json") else "")
        else:
            route.fulfill(path=site / path.lstrip("/"))

    screen.route("http://site.invalid/**", serve)
    screen.goto("http://site.invalid/index.html")
    assert not [path for path in asked if "/live/" in path]
    with screen.expect_request("**/live/static/pyodide/numpy.whl"):
        screen.locator("a.course-run").hover()
    assert "/live/static/pyodide/pyodide-lock.json" in asked
    screen.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_formula_and_a_figure_are_seen_in_both_themes(theme, width, look):
    screen = look("index", width, theme)
    for part in ("math[display=block]", "figure.mg-flow svg:visible", "figure.mg-surprise table"):
        box = screen.locator(part).first.bounding_box()
        assert box["width"] > 60 and box["x"] >= 0 and box["x"] + box["width"] <= width


# ------------------------------------------------------------------------------- in a browser


@pytest.mark.parametrize("page", WIDE)
def test_a_phone_scrolls_no_page_sideways_and_no_other_host_is_asked(page, look, screen):
    asked = []
    screen.on("request", note := lambda request: asked.append(request.url))
    look(page, width=390)
    screen.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    width = screen.evaluate("document.documentElement.scrollWidth")
    screen.remove_listener("request", note)
    assert width <= 390
    assert asked and [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_without_scripts_a_lesson_is_read_and_its_folds_open(site, chromium):
    screen = chromium.new_context(java_script_enabled=False).new_page()
    screen.goto((site / "notebooks" / "03-weigh-outputs.html").as_uri())
    fold = screen.locator("details.course-answer").first
    answer = fold.locator("p", has_text="the shop pays you to take it")
    assert screen.get_by_text("predict x.grad for any upstream gradient v").is_visible()
    assert not answer.is_visible()
    fold.locator("summary").click()
    assert answer.is_visible()
    screen.context.close()


def test_on_paper_folds_are_open(look):
    screen = look("notebooks/03-weigh-outputs")
    screen.evaluate("dispatchEvent(new Event('beforeprint'))")
    opened = "[...document.querySelectorAll('details.course-answer')].map(fold => fold.open)"
    assert all(screen.evaluate(opened))
    screen.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not any(screen.evaluate(opened))


def test_a_program_that_a_cell_shows_keeps_its_lines(look):
    screen = look("notebooks/13-write-engine")
    program = screen.locator("div.cell_output pre code", has_text="class Value").first
    assert program.evaluate("code => getComputedStyle(code).whiteSpace").startswith("pre")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_kind_of_page_has_a_serious_barrier(theme, look):
    """Three kinds of page have all colours; in the dark, nothing but these is different."""
    found = []
    coloured = ("index", "notebooks/00-set-out", "api/autograd")
    for page in KINDS if theme == "light" else coloured:
        asked = {"resultTypes": ["violations"]}  # nothing of what is right: half the time
        asked |= {"runOnly": ["color-contrast"]} if theme == "dark" else {}
        asked |= {"rules": {"color-contrast": {"enabled": page in coloured}}}
        screen = look(page, theme=theme)
        screen.evaluate(OPEN_AND_AT_REST)
        told = Axe().run(screen, options=asked).response["violations"]
        found += [
            (page, one["id"], one["nodes"][0]["html"][:200])
            for one in told
            if one["impact"] in ("serious", "critical")
        ]
    assert found == []
