"""The figure of the front page: its script's numbers are the engine's, and everybody can use it."""

import random
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import minigrad as torch
from minigrad.classroom.show.formatting import exact, nested, number
from minigrad.classroom.show.typed_numbers import read_number
from minigrad.classroom.widgets import UpstreamEditor
from tools.site import front

PAGE = (
    '<!doctype html><html lang="en" data-theme="{theme}"><title>minigrad</title>'
    '<meta name="viewport" content="width=device-width"><body><main><h1>minigrad</h1>{figure}'
)
DARK = "<style>body {{ background: #14181e; color: #ced6dd }} a {{ color: #8fb7f0 }}</style>"
# Types each v into the boxes, as a learner does, and reads what is shown.
TYPE_ALL = """all => all.map(v => {
    const boxes = [...document.querySelectorAll("input[type=text]")];
    boxes.forEach((box, place) => {
        box.value = v[place];
        box.dispatchEvent(new Event("input"));
    });
    boxes.at(-1).dispatchEvent(new Event("change"));
    const cells = [...document.querySelectorAll(".mg-front-grad td")];
    return [document.querySelector("[role=alert]").textContent, ...cells.map(c => c.textContent)];
})"""


@pytest.fixture
def show(chromium):
    """show(place, ...) opens the figure on a page of its own; `.asked` is what that asked for."""
    contexts = []

    def show_one(place="index", theme="light", width=1280, **how):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 844}, **how))
        page = contexts[-1].new_page()
        page.asked, page.problems = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda problem: page.problems.append(str(problem)))
        styled = DARK.format() if theme == "dark" else ""
        page.set_content(PAGE.format(theme=theme, figure=styled + front.figure(place)))
        return page

    yield show_one
    for context in contexts:
        context.close()


def box(page, row=1, column=2):
    return page.get_by_label(f"upstream gradient, row {row}, column {column}", exact=True)


def slider(page, row=1, column=2):
    return page.get_by_label(f"slide upstream gradient, row {row}, column {column}")


def shows(page, *grad):
    """Wait until a.grad shows these numbers."""
    cells = page.locator(".mg-front-grad td")
    expect(cells).to_have_text([number(value, signed=True, minus=True) for value in grad])


def random_weights():
    """Texts of six weights: as slid, as typed, halves at the sixth digit, very large and small."""
    source = random.Random(0)
    makers = (
        lambda: str(source.randrange(-12, 13) / 2),
        lambda: f"{source.uniform(-10, 10):.2f}",
        lambda: f"{source.randrange(-99, 99)}/{source.randrange(1, 99)}",
        lambda: repr(source.uniform(-1e5, 1e5)),
        lambda: repr(source.randrange(1, 1000) * 2.0 ** source.randrange(-24, 4)),
        lambda: exact(np.float32(source.choice((1, -1)) * 10 ** source.uniform(-44, 38))),
    )
    return [[source.choice(makers)() for _ in range(6)] for _ in range(1000)]


def test_a_thousand_weights_give_the_engines_digits(show):
    page, all_weights = show(), random_weights()
    wanted = []
    for weights in all_weights:
        a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
        v = np.reshape([read_number(text) for text in weights], (2, 3))
        (a * a).backward(torch.tensor(v, dtype=torch.float32))
        grads = np.ravel(a.grad.tolist())
        wanted.append(["", *(number(value, signed=True, minus=True) for value in grads)])
    assert page.evaluate(TYPE_ALL, all_weights) == wanted
    assert page.problems == []


TYPED = """
2|-0.5|.5|5.|+3| 7 |1/3|-2/-4|1 / 3|2e-3|2E+3|\u22123|\u20133|- 3|007|0|-0|0e9|1e-45|3.4e38
|-|abc|0x10|1_000|3,5|1,000|[1, 2]|1/0|1/0.0|1/|1/2/3|--1|1e|inf|nan|Infinity|1e39|-1e400
1e-50|1/1e400|1e400/1e400|1/1e-400|2 3|1.2.3|50 %|\u0663|alert(1)|<b>1</b>
"""


def test_it_reads_and_refuses_what_the_lessons_do(show):
    page = show()
    texts = [text for line in TYPED.strip("\n").split("\n") for text in line.split("|")]
    rows = [row for text in texts for row in (["1"] * 6, ["1"] * 5 + [text])]
    found = page.evaluate(TYPE_ALL, rows)[1::2]
    editor = UpstreamEditor("a * a, ones")
    for text, [sentence, *_, last] in zip(texts, found, strict=True):
        editor.set_upstream_entry((1, 2), 1)
        editor.set_upstream_entry((1, 2), text)
        assert bool(sentence) == bool(editor.message), text
        assert last == number(editor.input_grad[1][2], signed=True, minus=True), text


@pytest.mark.parametrize(
    "typed, sentence",
    [
        ("", "This box is empty. Type a number, for example 0."),
        ("3,5", '"3,5" has a comma. Type one number, with a point for decimals: 3.5.'),
        ("2 b", '"2 b" is not a number. Type one such as 2, -0.5, 1/3 or 2e-3.'),
        ("1/0", '"1/0" divides by zero. Type a number such as 1/3.'),
        ("1e39", '"1e39" is too large: float32, PyTorch\'s default, ends at about 3.4e38.'),
    ],
)
def test_what_cannot_be_used_is_refused_beside_the_box_and_nothing_changes(show, typed, sentence):
    page = show()
    box(page).fill("4")
    box(page).press("Enter")
    box(page).fill("")
    box(page).press_sequentially(typed)  # some first letters are a number, and are followed
    box(page).press("Enter")
    refusal = page.get_by_role("alert")
    expect(refusal).to_have_text(f"{sentence} v stays as it was before.")
    expect(box(page)).to_have_attribute("aria-invalid", "true")
    expect(box(page)).to_have_value(typed)
    shows(page, 2, 16, 6, 8, 10, 12)
    slider(page, 2, 3).press("ArrowRight")
    expect(refusal).to_have_text("")
    expect(box(page)).to_have_value("+4")
    shows(page, 2, 16, 6, 8, 10, 18)


def test_it_follows_at_once_and_asks_for_nothing(show):
    page = show()
    shows(page, 2, 4, 6, 8, 10, 12)
    box(page).click()
    page.keyboard.type("5")  # in place of the +1
    shows(page, 2, 20, 6, 8, 10, 12)
    page.get_by_role("button", name="v = a").click()
    shows(page, 2, 8, 18, 32, 50, 72)
    page.get_by_role("combobox").select_option("out[1, 0]")
    shows(page, 0, 0, 0, 8, 0, 0)
    expect(box(page, 2, 1)).to_have_value("+1")
    page.get_by_role("button", name="v = ones").click()
    shows(page, 2, 4, 6, 8, 10, 12)
    expect(page.get_by_role("combobox")).to_have_value("")
    assert page.problems == [] and [url for url in page.asked if not url.startswith("about:")] == []


def test_the_keyboard_reaches_everything_and_is_answered_aloud(show):
    page = show()
    order = []
    for _ in range(16):
        page.keyboard.press("Tab")
        name = "e => e.getAttribute('aria-label') ?? e.textContent"
        order.append(page.locator(":focus").evaluate(name))
    assert order[:2] == ["v = ones", "v = a"] and order[2].startswith("one-hot")
    weights = [
        f"upstream gradient, row {row}, column {column}" for row in (1, 2) for column in (1, 2, 3)
    ]
    assert order[3:15] == [name for one in weights for name in (one, f"slide {one}")]
    assert order[15] == "Run the real engine"
    slider(page).focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    expect(box(page)).to_have_value("\u22122")
    expect(slider(page)).to_have_attribute("aria-valuetext", "\u22122")
    expect(page.get_by_role("status")).to_have_text("a.grad is +2, \u22128, +6, +8, +10, +12.")


@pytest.mark.parametrize("how", ["without JavaScript", "on paper"])
def test_a_table_stands_there(show, how):
    page = show(java_script_enabled=how != "without JavaScript")
    if how == "on paper":
        page.emulate_media(media="print")
    editor, rows = UpstreamEditor("a * a"), page.locator(".mg-front-still tbody tr")
    for row, button in zip(rows.all(), ("ones", "input"), strict=True):
        editor.press(button)
        expect(row).to_be_visible()
        cells = [nested(editor.upstream), nested(editor.input_grad)]
        expect(row.locator("td")).to_have_text(cells)
    expect(page.locator(".mg-front-live")).to_be_hidden()


@pytest.mark.parametrize("place", ["index", "lesson"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_legible_everywhere(show, place, theme, width):
    page = show(place, theme, width)
    for weight, typed in (
        ((1, 1), "-1.23457e-30"),
        ((1, 2), "-1e30"),
        ((1, 3), "1/3"),
        ((2, 2), "no"),
    ):
        box(page, *weight).fill(typed)
        box(page, *weight).press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    cut = "cells => cells.filter(c => c.scrollWidth > c.clientWidth).map(c => c.textContent)"
    assert page.locator("td, .mg-front-v").evaluate_all(cut) == []
    found = Axe().run(page, ".mg-front").response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_the_lesson_does_not_give_away_what_it_asks():
    text = front.figure("lesson")
    assert "[2, 8, 18]" not in text and "v = a" not in text and "[2, 4, 6]" in text


def test_it_is_a_fragment_that_loads_nothing_and_leads_to_the_live_lesson():
    for place in ("index", "lesson"):
        text = front.figure(place).replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"//\w|url\(|@import|<link|\bsrc=|\n\s*\n", text)
    [link] = re.findall(r'href="(.*?)"', front.figure("index"))
    assert link == "live/notebooks/index.html?path=03-weigh-outputs.ipynb"
