"""The page's side of every panel, with a model that answers when the test says so."""

import pytest

from minigrad.classroom.widgets.shared import host

# In the page: a panel over a model of the test's own. `sent` are the messages of the page, and
# `state` is what Python has told.
OPEN = """([script, html]) => {
    const heard = {};
    window.sent = [];
    window.state = {html, answered: 0, own_id: ''};
    window.tell = changed => {
        Object.assign(state, changed);
        for (const name in changed) heard[`change:${name}`]();
    };
    const model = {
        get: name => state[name], send: message => sent.push(message),
        on: (what, hear) => { heard[what] = hear; }, off: () => {},
        widget_manager: {get_model: () => undefined},
    };
    const url = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
    return import(url).then(host => host.default.render({model, el: document.body}));
}"""
TICK = '<input type="checkbox" data-act="tick"{}><p>{}</p>'
CHOICE = (
    '<select data-act="load" data-key="1"><option value="1"{}>one</option>'
    '<option value="2"{}>two</option></select><p>{}</p>'
)


@pytest.fixture
def page(chromium):
    page = chromium.new_page()
    yield page
    page.close()


def opened(page, html):
    page.evaluate(OPEN, [host._SCRIPT, html])


def tell(page, **changed):
    page.evaluate("changed => tell(changed)", changed)


def test_a_drawing_that_comes_before_the_answer_leaves_what_a_learner_chose(page):
    """As when PyTorch arrives in between: the next click would undo another choice."""
    opened(page, TICK.format("", "old"))
    box = page.get_by_role("checkbox")
    box.click()
    tell(page, html=TICK.format("", "PyTorch is here"))
    assert page.inner_text("p") == "PyTorch is here" and box.is_checked()
    box.click()
    tell(page, html=TICK.format(" checked", "first"), answered=1)
    assert not box.is_checked()
    told = [message["arguments"] for message in page.evaluate("sent")]
    assert told == [[True], [False]]
    tell(page, html=TICK.format("", "second"), answered=2)
    assert not box.is_checked() and page.inner_text("p") == "second"


def test_an_answer_shows_what_the_model_made_of_it(page):
    """A choice that it refuses does not stay."""
    opened(page, CHOICE.format(" selected", "", "old"))
    page.get_by_role("combobox").select_option("two")
    tell(page, html=CHOICE.format(" selected", "", "between"))
    assert page.get_by_role("combobox").input_value() == "2"
    tell(page, html=CHOICE.format(" selected", "", "refused"), answered=1)
    assert page.get_by_role("combobox").input_value() == "1"
    assert page.evaluate("sent") == [{"action": "load", "arguments": [1, 2]}]
