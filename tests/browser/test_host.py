"""The page's side of every panel, with a model that answers when the test says so."""

import pytest

from minigrad.classroom import widgets
from minigrad.classroom.widgets.shared import host, style
from tests.classroom.hostile import STRINGS

# In the page: views of a panel over a model of the test's own. `sent` are the messages of the page,
# and `state` is what Python has told. tell(changed, place): that the message at this place of
# `sent` is answered, too.
OPEN = """async ([script, html, views]) => {
    const heard = [];
    window.sent = [];
    window.state = {html, answered: '', own_id: ''};
    window.tell = (changed, place) => {
        if (place !== null) changed.answered = sent[place].id;
        Object.assign(state, changed);
        for (const [what, hear] of heard) if (what === 'change') hear();
    };
    const model = {
        get: name => state[name], send: message => sent.push(message),
        on: (...listener) => heard.push(listener),
        widget_manager: {get_model: () => undefined},
    };
    const url = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
    const host = await import(url);
    for (let view = 0; view < views; view++) {
        const el = document.body.appendChild(document.createElement('section'));
        host.default.render({model, el, signal: new AbortController().signal});
    }
}"""
TICK = '<input type="checkbox" data-act="tick"{}><p>{}</p>'
CHOICE = (
    '<select data-act="load" data-key="1"><option value="1"{}>one</option>'
    '<option value="2"{}>two</option></select><p>{}</p>'
)


# Until an image that cannot be loaded says so.
FAILS = """() => new Promise(failed => {
    const image = new Image();
    image.onerror = () => failed();
    image.src = 'x';
})"""


@pytest.fixture
def page(screen):
    screen.goto("about:blank")
    return screen


def opened(page, html, views=1):
    page.evaluate(OPEN, [host._SCRIPT, html, views])


def tell(page, html, answered=None):
    """Python's drawing, and at which place of `sent` the message stands that it answers."""
    page.evaluate("([html, answered]) => tell({html}, answered)", [html, answered])


def test_a_drawing_that_comes_before_the_answer_leaves_what_a_learner_chose(page):
    """As when PyTorch arrives in between: the next click would undo another choice."""
    opened(page, TICK.format("", "old"))
    box = page.get_by_role("checkbox")
    box.click()
    tell(page, html=TICK.format("", "PyTorch is here"))
    assert page.inner_text("p") == "PyTorch is here" and box.is_checked()
    box.click()
    tell(page, html=TICK.format(" checked", "first"), answered=0)
    assert not box.is_checked()
    told = [message["arguments"] for message in page.evaluate("sent")]
    assert told == [[True], [False]]
    tell(page, html=TICK.format("", "second"), answered=1)
    assert not box.is_checked() and page.inner_text("p") == "second"


def test_an_answer_shows_what_the_model_made_of_it(page):
    """A choice that it refuses does not stay."""
    opened(page, CHOICE.format(" selected", "", "old"))
    page.get_by_role("combobox").select_option("two")
    tell(page, html=CHOICE.format(" selected", "", "between"))
    assert page.get_by_role("combobox").input_value() == "2"
    tell(page, html=CHOICE.format(" selected", "", "refused"), answered=0)
    assert page.get_by_role("combobox").input_value() == "1"
    [sent] = page.evaluate("sent")
    assert (sent["action"], sent["arguments"]) == ("load", [1, 2])


def test_the_answer_to_another_view_is_not_this_one_s(page):
    """Two views of a panel: each sends its next message when its own was answered."""
    opened(page, TICK.format("", "old"), views=2)
    first, second = page.get_by_role("checkbox").all()
    first.click()
    second.click()
    second.click()
    assert len(page.evaluate("sent")) == 2  # the second view's other one waits
    tell(page, TICK.format(" checked", "of the first"), answered=0)
    assert len(page.evaluate("sent")) == 2 and first.is_checked() and not second.is_checked()
    tell(page, TICK.format(" checked", "of the second"), answered=1)
    assert [message["arguments"] for message in page.evaluate("sent")] == [[True], [True], [False]]
    tell(page, TICK.format("", "of its other"), answered=2)
    assert not first.is_checked() and not second.is_checked()


BOX = '<input type="text" data-act="set" value="{}"><p>{}</p>'


def test_what_was_typed_and_taken_back_is_no_longer_in_hand(page):
    """The browser fires no `change` for it; what is drawn later has to be seen all the same."""
    opened(page, BOX.format("+2", "old"))
    box = page.get_by_role("textbox")
    box.press("End")
    box.press_sequentially("5")
    box.press("Backspace")
    box.press("Tab")
    assert page.evaluate("sent") == []
    tell(page, BOX.format("+1", "by a button"))
    assert box.input_value() == "+1"


def test_enter_and_leaving_a_box_send_its_text_once(page):
    opened(page, BOX.format("+2", "old"))
    box = page.get_by_role("textbox")
    box.fill("3")
    box.press("Enter")
    box.press("Tab")
    assert [one["arguments"] for one in page.evaluate("sent")] == [["3"]]


def test_a_choice_that_is_refused_again_is_taken_back_again(page):
    """The HTML is then as it was before, and the list is not."""
    html = CHOICE.format(" selected", "", "refused")
    opened(page, html)
    for place in range(2):
        page.get_by_role("combobox").select_option("two")
        page.evaluate("place => tell({}, place)", place)
        assert page.get_by_role("combobox").input_value() == "1"
    page.get_by_role("combobox").select_option("two")
    assert len(page.evaluate("sent")) == 3


def test_a_slider_whose_move_was_refused_goes_back(page):
    slider = '<input type="range" min="0" max="9" value="{}" data-act="slide"><p>{}</p>'
    opened(page, slider.format(4, "old"))
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("slider").input_value() == "5"
    tell(page, slider.format(4, "refused"), answered=0)
    assert page.get_by_role("slider").input_value() == "4"


@pytest.mark.parametrize("widget", ["JacobianPicture", "ShapeGate"])
def test_a_toggle_keeps_its_focus_and_its_second_click(page, widget):
    """Pressed before the redraw and let go after it, it is the same button, and does its other."""
    panel = getattr(widgets, widget)(*(["a * a"] if widget == "JacobianPicture" else []))
    toggle = page.locator("[data-act=fold], [data-act=show_grid]")
    opened(page, panel.html)
    toggle.focus()
    page.keyboard.press("Enter")
    area = toggle.bounding_box()
    page.mouse.move(area["x"] + 5, area["y"] + 5)
    page.mouse.down()
    panel._perform(None, page.evaluate("sent[0]"), None)
    tell(page, panel.html, answered=0)
    page.mouse.up()
    assert toggle.evaluate("toggle => toggle === document.activeElement")
    first, second = (one["arguments"] for one in page.evaluate("sent"))
    assert first == [not second[0]]


def test_the_heading_of_a_list_cannot_be_chosen(page):
    editor = widgets.UpstreamEditor()
    opened(page, editor.html)
    heading = page.get_by_role("combobox", name="one-hot").locator("option").first
    assert heading.evaluate("option => option.disabled && option.selected")


def test_what_a_control_declares_is_read_and_never_run(page):
    """A key that is not JSON sends nothing, and the page goes on."""
    keys = ("window.ran = 1", "0], window.ran = 1, [0", "(() => { window.ran = 1 })()")
    buttons = "".join(f'<button data-act="go" data-key="{key}">go</button>' for key in keys)
    opened(page, f'{buttons}<button data-act="go" data-key="1, [2]">on</button>')
    for button in page.get_by_role("button").all():
        button.click()
    assert [message["arguments"] for message in page.evaluate("sent")] == [[1, [2]]]
    assert page.evaluate("window.ran") is None


def test_no_hostile_text_in_a_panel_runs(page):
    opened(page, "")
    page.evaluate("() => { window.alert = () => { window.ran = true } }")
    for text in STRINGS:
        card = widgets.PredictCard(text, text, choices=[text, "other"], why=text)
        tell(page, card.html)
        card.commit("other")
        tell(page, card.html)
        editor = widgets.UpstreamEditor("a * a")
        assert editor.load(text).message
        tell(page, editor.html)
    page.evaluate(FAILS)  # so would an image that came in by a text, before it
    assert page.evaluate("window.ran") is None


# --- what a panel looks like without JupyterLab ---------------------------------------------------


SHOW = """([name, html]) => {
    const panel = document.createElement('div');
    panel.className = 'mg-panel';
    panel.id = name;
    panel.innerHTML = html;
    document.body.append(panel);
}"""


@pytest.fixture
def panels(page):
    page.emulate_media(forced_colors="none")
    page.set_content(f"<!doctype html><style>body {{ margin: 0 }} {style.STYLE}</style>")
    for name in widgets.__all__:
        question = ("What will a.grad be?", [2, -4]) if name == "PredictCard" else ()
        panel = getattr(widgets, name)(*question)
        page.evaluate(SHOW, [name, panel.html])
    return page


@pytest.mark.parametrize("width", [390, 414])  # a phone, and 829 px at a zoom of 200 %
def test_no_panel_is_wider_than_a_phone(panels, width):
    panels.set_viewport_size({"width": width, "height": 900})
    wider = panels.evaluate(
        "[...document.querySelectorAll('.mg-panel')]"
        ".filter(panel => panel.scrollWidth > panel.clientWidth).map(panel => panel.id)"
    )
    assert wider == []


def test_in_the_dark_the_browser_s_own_controls_are_dark(panels):
    """Safari draws a list in its own colours, white without being told."""
    for theme, said in (("false", "dark"), ("true", "normal")):
        panels.evaluate("light => { document.body.dataset.jpThemeLight = light }", theme)
        schemes = (
            "[...document.querySelectorAll('select')].map(one => getComputedStyle(one).colorScheme)"
        )
        assert set(panels.evaluate(schemes)) == {said}


def test_where_a_system_sets_the_colours_a_bar_still_tells_the_sign(panels):
    """Without tints the bar has a colour of its own above a positive number, below a negative."""
    panels.emulate_media(forced_colors="active")
    paper = panels.evaluate("""() => {
        const probe = document.body.appendChild(document.createElement('p'));
        probe.style.color = 'Canvas';
        return getComputedStyle(probe).color;
    }""")
    bars = """([selector, paper]) => [...document.querySelectorAll(selector)].map(one => {
        const { borderTopColor, borderBottomColor } = getComputedStyle(one);
        return [borderTopColor !== paper, borderBottomColor !== paper];
    })"""
    cells = ".mg-matrix td, .mg-jac td, .mg-chip"
    for sign, seen in (("plus", [True, False]), ("minus", [False, True])):
        found = panels.evaluate(bars, [f':is({cells})[class*="mg-{sign}-"]', paper])
        assert found and all(bar == seen for bar in found), sign
    chosen = panels.locator("#UpstreamEditor .mg-chosen").first
    assert chosen.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
