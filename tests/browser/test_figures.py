"""The figures of the answer's page: their numbers are the engine's, and everybody can use them."""

import json
import random
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import minigrad as torch
from minigrad.classroom.show.drawing import flow
from minigrad.classroom.show.formatting import exact, number
from minigrad.classroom.show.typed_numbers import read_number
from minigrad.classroom.widgets import UpstreamEditor
from tools.site import figures

PAGE = (
    '<!doctype html><html lang="en" data-theme="{theme}"><title>minigrad</title>'
    '<meta name="viewport" content="width=device-width"><style>{style}</style><body><main>'
    '<h1>minigrad</h1>{figures}</main><script type="module">{script}</script>'
)
DARK = "body { background: #14181e; color: #ced6dd }"
ALL = [name for name in figures.FIGURES if name != "lesson"]
SENT = flow.read_flow().grads
# Types each v into a figure's boxes, as a reader does, and reads all numbers that follow.
TYPE_ALL = """([name, all]) => {
    const figure = document.querySelector(`.mg-${name}`);
    const boxes = [...figure.querySelectorAll("input[type=text]")];
    const numbers = [...figure.querySelectorAll("[data-linear]")];
    return all.map(v => {
        boxes.forEach(box => {
            box.value = v[box.dataset.at];
            box.dispatchEvent(new Event("input"));
        });
        boxes.at(-1).dispatchEvent(new Event("change"));
        const refusal = figure.querySelector("[role=alert]").textContent;
        return [refusal, ...numbers.map(n => (n.querySelector("text") ?? n).textContent)];
    }); }"""

PRESS_ALL = """presses => {
    const figure = document.querySelector(".mg-twice");
    const numbers = [...figure.querySelectorAll("[data-linear]")];
    return presses.map(press => {
        const name = press === "retain" ? "[data-retain]" : `[data-do=${press}]`;
        figure.querySelector(name).click();
        const refusal = figure.querySelector("[role=alert]").textContent;
        return [refusal, ...numbers.map(n => n.textContent)];
    }); }"""


@pytest.fixture(scope="module")
def screen(chromium):
    """screen(...) is a page of a context like this, one for all tests: a new one takes longer than
    most of them. `.asked` is what it asked for, `.problems` are errors of its scripts."""
    opened = {}

    def open_screen(**how):
        if (key := tuple(how.items())) not in opened:
            page = opened[key] = chromium.new_page(**how)
            page.asked, page.problems = [], []
            page.on("request", lambda request: page.asked.append(request.url))
            page.on("pageerror", lambda problem: page.problems.append(str(problem)))
        return opened[key]

    yield open_screen
    for page in opened.values():
        page.close()


@pytest.fixture
def show(screen):
    """show(name, ...) opens figures on an empty page."""

    def show_some(*names, theme="light", width=1280, **how):
        page = screen(**how)
        page.goto("about:blank")
        page.set_viewport_size({"width": width, "height": 844})
        page.asked.clear()
        page.problems.clear()
        style = figures.style() + (DARK if theme == "dark" else "")
        shown = "".join(map(figures.figure, names))
        page.set_content(
            PAGE.format(theme=theme, style=style, figures=shown, script=figures.script())
        )
        return page

    return show_some


def box(page, row=1, column=2):
    return page.get_by_label(f"upstream gradient v, row {row}, column {column}", exact=True)


def slider(page, row=1, column=2):
    return page.get_by_label(f"slide upstream gradient v, row {row}, column {column}")


def cells(page):
    return page.locator(".mg-grad [data-linear]")


def shows(page, *grad):
    """Wait until the gradient shows these numbers."""
    expect(cells(page)).to_have_text([shown(value) for value in grad])


def shown(value):
    return number(value, signed=True, minus=True)


# ---------------------------------------------------------------- the numbers are the engine's


def random_texts(count):
    """Texts of numbers: as slid, as typed, halves at the sixth digit, very large and small."""
    source = random.Random(0)
    makers = (
        lambda: str(source.randrange(-12, 13) / 2),
        lambda: f"{source.uniform(-10, 10):.2f}",
        lambda: f"{source.randrange(-99, 99)}/{source.randrange(1, 99)}",
        lambda: repr(source.uniform(-1e5, 1e5)),
        lambda: repr(source.randrange(1, 1000) * 2.0 ** source.randrange(-24, 4)),
        lambda: exact(np.float32(source.choice((1, -1)) * 10 ** source.uniform(-44, 38))),
    )
    return [[source.choice(makers)() for _ in range(count)] for _ in range(300)]


def typed(texts):
    return [float(np.float32(read_number(text))) for text in texts]


def test_hundreds_of_v_give_the_engines_digits(show):
    page, texts = show("surprise"), random_texts(6)
    wanted = []
    for v in map(typed, texts):
        a = torch.tensor(figures.A, requires_grad=True)
        (a * a).backward(torch.tensor(np.reshape(v, (2, 3)).tolist()))
        wanted.append(["", *map(shown, np.ravel(a.grad.tolist()))])
    assert page.evaluate(TYPE_ALL, ["surprise", texts]) == wanted
    assert page.problems == []


def by_engine(name, case, v):
    """What an engine gives for each number of a figure that a reader may ask about, in the page's
    order, and how large the terms were of which it is the sum."""
    if name in ("two", "rule"):
        x = torch.tensor(2.0, requires_grad=True)
        y = torch.stack([3 * x, x**2])
        y.backward(torch.tensor(v))
        slot = (x.grad.item(), np.abs(np.array(v) * [3, 4]).max())
        found = [slot, *((one, abs(one)) for one in np.multiply(v, [3.0, 4.0]))]
        if name == "two":
            return found
        moved = 2.0 + figures.STEPS[case]
        lines = []
        for at in (2.0, moved):
            terms = np.array(v) * [3 * at, at**2]
            lines.append((float(terms.sum()), np.abs(terms).max()))
        step = moved - 2.0
        terms = np.array(v) * [3.0, (moved**2 - 4) / step]
        return [*found, *lines, (float(terms.sum()), np.abs(terms).max()), slot]
    if name == "jacobian":
        x = torch.ones(3, requires_grad=True)
        A, u, v = torch.tensor(figures.A), v[2:], v[:2]
        (A @ x).backward(torch.tensor(v))
        along = A @ torch.tensor(u)  # y is linear in x
        products = np.array(figures.A) * (np.array(v)[:, None] if case == 0 else u)
        found = []
        for row, moved in zip(products, along.tolist()):
            found += [(one, abs(one)) for one in row]
            found.append((moved, np.abs(np.multiply(figures.A, u)).max()))
        largest = np.abs(np.multiply(figures.A, np.array(v)[:, None])).max()
        return [*found, *((one, largest) for one in x.grad.tolist())]
    cut = flow.CUTS[case]
    handed = v[4:] if cut == "loss" else v[:4]
    before = figures.behind_cut(cut, handed)
    sent = SENT
    largest = max(map(abs, handed)) * 4
    picture = ("w", "b", "p", "e", "loss")
    values = {name: np.ravel(before.get(name, sent[name])) for name in picture}
    of_one = ("loss", "e", "p", "w", "b")  # as they are drawn
    drawn = [(one, largest) for name in of_one for one in values[name]]
    return [*drawn, *drawn, *((one, largest) for name in "wb" for one in values[name])]


def near(text, value, largest):
    """Whether a text shows a number, up to the rounding of the terms of which it is a sum."""
    room = 4 * 2.0**-23 * max(abs(value), largest)
    return text in {shown(np.float32(one)) for one in (value - room, value, value + room)} or (
        abs(float(text.replace("\u2212", "-").replace("+", "")) - value) <= room
    )


@pytest.mark.parametrize("name", ["two", "rule", "jacobian", "flow"])
def test_hundreds_of_v_give_the_engines_numbers(name, show):
    """Spread over its cases: where a figure is cut, by how much x is moved."""
    page = show(name)
    cases = {"two": [0], "rule": range(len(figures.STEPS)), "jacobian": [0, 1], "flow": range(3)}
    count = page.locator("input[type=text]").count()
    source = np.random.default_rng(0)
    simple = source.integers(-96, 97, size=(150, count)) / 8  # so are their products and sums
    others = np.round(source.normal(scale=5, size=(150, count)), 4)
    parts = [np.array_split(group, len(cases[name])) for group in (simple, others)]
    for case, *groups in zip(cases[name], *parts):
        turn_to(page, name, case)
        for group, are_exact in zip(groups, (True, False)):
            texts = [[exact(np.float32(one)) for one in row] for row in group]
            found = page.evaluate(TYPE_ALL, [name, texts])
            for row, (refusal, *told) in zip(texts, found, strict=True):
                wanted = by_engine(name, case, typed(row))
                assert refusal == "" and len(told) == len(wanted)
                for text, (value, largest) in zip(told, wanted):
                    assert near(text, float(value), largest), (name, case, row, wanted)
                    if are_exact and name != "rule":  # whose steps of x are not
                        assert text == shown(np.float32(value)), (name, case, row, wanted)
    assert page.problems == []


def turn_to(page, name, case):
    if name == "jacobian":
        page.locator("[data-to]").nth(case).click()
    elif name != "two":
        slide = "(e, to) => { e.value = to; e.dispatchEvent(new Event('input')); }"
        page.locator("[data-cases]").evaluate(slide, case)


def test_any_presses_give_what_the_engine_gives(show):
    """Lines in any order: a fresh graph, passes that keep it or free it, clearing."""
    page, source = show("twice"), random.Random(0)
    presses = [
        source.choice(["forward", "backward", "backward", "clear", "retain"]) for _ in range(1000)
    ]
    a = torch.tensor(figures.A, requires_grad=True)
    out, retain = a * a, False
    for press, (refusal, *told) in zip(presses, page.evaluate(PRESS_ALL, presses), strict=True):
        said = None
        if press == "forward":
            out = a * a
        elif press == "clear":
            a.grad = None
        elif press == "retain":
            retain = not retain
        else:
            try:
                out.backward(a, retain_graph=retain)
            except RuntimeError as error:
                said = f"RuntimeError: {error}"
        assert press == "retain" or refusal == (said or "")
        grad = (
            ["None"] + [""] * 5 if a.grad is None else list(map(shown, np.ravel(a.grad.tolist())))
        )
        assert told == grad


@pytest.mark.parametrize("name", figures.FIGURES)
def test_the_first_state_is_the_same_with_and_without_the_script(name, show):
    read = "all => all.map(e => (e.querySelector('text') ?? e).textContent)"
    with_script = show(name).locator("[data-linear]").evaluate_all(read)
    without = show(name, java_script_enabled=False).locator("[data-linear]").evaluate_all(read)
    if name == "twice":
        assert set(without) == {"0"} and with_script == ["None"] + [""] * 5
    else:
        assert with_script == without


# ------------------------------------------------------------------------ by every hand


TYPED = """
2|-0.5|.5|5.|+3| 7 |1/3|-2/-4|1 / 3|2e-3|2E+3|\u22123|\u20133|- 3|007|0|-0|0e9|1e-45|3.4e38
|-|abc|0x10|1_000|3,5|1,000|[1, 2]|1/0|1/0.0|1/|1/2/3|--1|1e|inf|nan|Infinity|1e39|-1e400
1e-50|1/1e400|1e400/1e400|1/1e-400|2 3|1.2.3|50 %|\u0663|alert(1)|<b>1</b>
"""


def test_it_reads_and_refuses_what_the_lessons_do(show):
    page = show("surprise")
    texts = [text for line in TYPED.strip("\n").split("\n") for text in line.split("|")]
    rows = [row for text in texts for row in (["1"] * 6, ["1"] * 5 + [text])]
    found = page.evaluate(TYPE_ALL, ["surprise", rows])[1::2]
    editor = UpstreamEditor("a * a, ones")
    for text, [sentence, *_, last] in zip(texts, found, strict=True):
        editor.set_upstream_entry((1, 2), 1)
        editor.set_upstream_entry((1, 2), text)
        assert bool(sentence) == bool(editor.message), text
        assert last == shown(editor.input_grad[1][2]), text


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "This box is empty. Type a number, for example 0."),
        ("3,5", '"3,5" has a comma. Type one number, with a point for decimals: 3.5.'),
        ("2 b", '"2 b" is not a number. Type one such as 2, -0.5, 1/3 or 2e-3.'),
        ("1/0", '"1/0" divides by zero. Type a number such as 1/3.'),
        ("1e39", '"1e39" is too large: float32, PyTorch\'s default, ends at about 3.4e38.'),
    ],
)
def test_what_cannot_be_used_is_refused_in_place_and_nothing_changes(show, text, sentence):
    page = show("surprise")
    box(page).fill("4")
    box(page).press("Enter")
    box(page).fill("")
    box(page).press_sequentially(text)  # some first letters are a number, and are followed
    box(page).press("Enter")
    refusal = page.get_by_role("alert")
    expect(refusal).to_have_text(f"{sentence} v stays as it was before.")
    expect(box(page)).to_have_attribute("aria-invalid", "true")
    expect(box(page)).to_have_value(text)
    shows(page, 2, 16, 6, 8, 10, 12)
    slider(page, 2, 3).press("ArrowRight")
    expect(refusal).to_have_text("")
    expect(box(page)).to_have_value("+4")
    shows(page, 2, 16, 6, 8, 10, 18)


def test_the_mouse_works_every_figure_and_nothing_is_asked_for(show):
    page = show(*ALL)
    surprise = page.locator(".mg-surprise")
    surprise.get_by_role("button", name="v = a").click()
    expect(surprise.locator(".mg-grad td")).to_have_text([shown(2 * k * k) for k in range(1, 7)])
    for name, grad in (("v = [1, 0]", 3), ("v = [0, 1]", 4), ("v = [2, \u22121]", 2)):
        page.locator(".mg-two").get_by_role("button", name=name).click()
        expect(page.locator(".mg-two .mg-slot .mg-chip")).to_have_text(shown(grad))
    expect(page.locator(".mg-rule .mg-line").nth(1)).to_contain_text("at x = 2.1")
    expect(page.locator(".mg-rule .mg-line .mg-chip").nth(2)).to_have_text("+1.9")
    page.get_by_role("button", name="J\u00b7u").click()
    expect(page.get_by_label("direction u, entry 1", exact=True)).to_be_visible()
    twice = page.locator(".mg-twice")
    run = twice.get_by_role("button", name="out.backward(a)")
    run.click()
    run.click()
    expect(twice.get_by_role("alert")).to_contain_text("backward through the graph a second time")
    assert page.problems == [] and [url for url in page.asked if not url.startswith("about:")] == []


def swipe(page, start, end):
    """A finger's way over the page, as a phone's screen tells it to the browser."""
    screen = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", start)
    for part in np.linspace(0.1, 1, 10):
        touch("touchMove", [float(a + part * (b - a)) for a, b in zip(start, end)])
    touch("touchEnd")


@pytest.fixture(params=[1280, 390])
def phone(request, show):
    """All figures on a screen for fingers, on a page that can be scrolled."""
    page = show(*ALL, width=request.param, has_touch=True)
    page.evaluate("document.body.style.paddingBottom = '1000px'")
    return page


def placed(part):
    """A part's box after it was scrolled to the middle, and how far the page is scrolled."""
    part.evaluate("e => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    area = part.bounding_box()
    return area["x"], area["y"], area["width"], area["height"], part.page.evaluate("scrollY")


@pytest.mark.parametrize("name", [name for name in ALL if name != "twice"])
def test_a_finger_drags_sliders_and_the_page_stays(phone, name):
    sliders = phone.locator(f".mg-{name} input[type=range]:visible")
    for hand in (sliders.first, sliders.last):
        x, y, width, height, scrolled = placed(hand)
        ends = [float(hand.get_attribute(end)) for end in ("min", "max")]
        share = (float(hand.input_value()) - ends[0]) / (ends[1] - ends[0])
        start = x + 8 + share * (width - 16), y + height / 2
        to_right = share < 0.5
        swipe(phone, start, (x + width - 1 if to_right else x + 1, y + height / 2 + 5))
        assert float(hand.input_value()) == ends[to_right], hand.get_attribute("aria-label")
        assert phone.evaluate("scrollY") == scrolled
    assert phone.problems == []


def test_a_finger_drags_the_cut_and_the_page_stays(phone):
    picture = phone.locator(".mg-flow svg:visible")
    x, y, width, height, scrolled = placed(picture)
    stops = [x + float(stop) * width for stop in picture.get_attribute("data-stops").split()]
    for start, end, call in ((0, 2, "loss.backward()"), (2, 1, "e.backward(v)"), (1, 0, "p.")):
        swipe(phone, (stops[start], y + 60), (stops[end], y + 75))
        expect(picture.get_by_text(call).first).to_be_visible()
        expect(phone.locator(".mg-flow .mg-grad [data-linear]").first).to_have_text("\u22121")
    assert phone.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("of", [".mg-flow svg:visible", ".mg-two input[type=range] >> nth=0"])
def test_a_finger_that_scrolls_the_page_changes_nothing(phone, of):
    part = phone.locator(of)
    stage = phone.locator(of.split()[0]).locator(".mg-stage")
    x, y, width, height, scrolled = placed(part)
    before = stage.inner_html()
    at = x + 0.9 * width
    swipe(phone, (at, y + height / 2), (at - 5, y - 250))
    phone.wait_for_function("before => scrollY > before + 100", arg=scrolled)
    assert stage.inner_html() == before


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("touch", [False, True])
def test_the_cut_is_dragged_and_w_grad_stays(show, width, touch):
    page = show("flow", width=width, has_touch=touch)
    grads = ["\u22121", "\u22122.5", "\u22123"]
    picture = page.locator(".mg-flow svg:visible")
    area = picture.bounding_box()
    for place, call in enumerate(("p.backward(v)", "e.backward(v)", "loss.backward()")):
        share = float(picture.get_attribute("data-stops").split()[place])
        at = area["x"] + share * area["width"], area["y"] + 90
        if touch:
            page.touchscreen.tap(*at)
        else:
            page.mouse.move(*at)
            page.mouse.down()
            page.mouse.up()
        expect(picture.get_by_text(call)).to_be_visible()
        expect(cells(page)).to_have_text(grads)
    if not touch:  # in one stroke from the last cut to the first
        page.mouse.move(area["x"] + 0.9 * area["width"], area["y"] + 90)
        page.mouse.down()
        page.mouse.move(area["x"] + 0.3 * area["width"], area["y"] + 90, steps=8)
        page.mouse.up()
        expect(picture.get_by_text("p.backward(v)")).to_be_visible()
    page.get_by_role("slider", name="cut", exact=True).press("Home")
    page.get_by_role("button", name="ones").click()
    expect(cells(page)).to_have_text(["+2", "+2", "+4"])


def test_the_keyboard_reaches_everything_and_is_answered_aloud(show):
    page = show("surprise")
    order = []
    for _ in range(15):
        page.keyboard.press("Tab")
        name = "e => e.getAttribute('aria-label') ?? e.textContent"
        order.append(page.locator(":focus").evaluate(name))
    assert order[:3] == ["v = ones", "v = a", "one-hot"]
    entries = [
        f"upstream gradient v, row {row}, column {column}" for row in (1, 2) for column in (1, 2, 3)
    ]
    assert order[3:] == [name for one in entries for name in (one, f"slide {one}")]
    slider(page).focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    expect(box(page)).to_have_value("\u22122")
    expect(slider(page)).to_have_attribute("aria-valuetext", "\u22122")
    expect(page.get_by_role("status")).to_have_text("a.grad is +2, \u22128, +6, +8, +10, +12.")


def test_the_keyboard_moves_every_figure(show):
    page = show(*ALL)
    for name in ALL:
        figure = page.locator(f".mg-{name}")
        before = figure.locator(".mg-stage").inner_html()
        hand = figure.locator("input[type=range]:visible, button[data-do=backward]").first
        hand.press("Enter" if name == "twice" else "ArrowRight")
        assert figure.locator(".mg-stage").inner_html() != before, name


@pytest.mark.parametrize("name", ALL)
def test_without_a_script_it_shows_its_first_state_and_no_hands(name, show):
    page = show(name, java_script_enabled=False)
    for hand in ("button", "input[type=range]", "input[type=checkbox]"):
        assert page.locator(f"{hand}:visible").count() == 0
    assert page.locator("figcaption").is_visible()
    assert page.locator("[data-linear]:visible").count() > 0
    assert len(page.locator(".flow-cut:visible").all()) in (0, 1)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_they_are_legible_everywhere(show, theme, width):
    page = show(*ALL, theme=theme, width=width)
    for entry, text in (
        ((1, 1), "-1.23457e-30"),
        ((1, 2), "-1e30"),
        ((1, 3), "1/3"),
        ((2, 2), "no"),
    ):
        box(page, *entry).fill(text)
        box(page, *entry).press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    cut = "all => all.filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.textContent)"
    assert page.locator("td, .mg-v").evaluate_all(cut) == []
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []


def test_the_lesson_does_not_give_away_what_it_asks():
    text = figures.figure("lesson")
    assert "v = a" not in text and json.dumps(np.ravel(figures.A).tolist()) not in text


def test_a_figure_is_a_named_figure_and_loads_nothing():
    for name in figures.FIGURES:
        text = figures.figure(name).replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert (
            re.match(r'<figure class="[\w -]+" aria-label="[^"]+"', text) and "<figcaption" in text
        )
        assert not re.search(r"//\w|url\(|@import|<link|\bsrc=|\bhref=|\n\s*\n", text)
