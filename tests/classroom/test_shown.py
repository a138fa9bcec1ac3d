"""What a notebook shows: a text and its HTML; and the one writer of HTML."""

from minigrad.classroom.show.html import Html, Shown, escape, joined, page_table, tag


def test_a_text_and_its_html_are_shown():
    shown = Shown("x = 1", "<b>x</b>")
    assert repr(shown) == str(shown) == shown.text == "x = 1"
    assert shown._repr_html_() == shown.html == "<b>x</b>"


def test_text_is_escaped_where_it_enters_and_html_is_not():
    inner = tag("b", "<i>", title='a"<')
    assert inner == '<b title="a&quot;&lt;">&lt;i&gt;</b>' and isinstance(inner, Html)
    assert tag("p", inner, "&", [1, "<"], None) == f"<p>{inner}&amp;1&lt;</p>"
    assert tag("p", f"{inner}").startswith("<p>&lt;b")  # mixed into a text it is text again
    assert joined("<", inner) == "&lt;" + inner and inner + "<" == f"{inner}&lt;"
    assert escape(escape("<")) == "&lt;"


def test_attributes_are_left_out_where_they_say_nothing():
    assert tag("input", disabled=True, checked=False, value=0) == '<input disabled value="0">'
    told = tag("div", data_name='a"<', aria_hidden="true", title=None, class_="")
    assert told == '<div data-name="a&quot;&lt;" aria-hidden="true"></div>'
    assert tag("td", 0, data_row=0) == '<td data-row="0">0</td>'


def test_a_table_on_a_page_has_a_head_a_caption_and_rows_and_scrolls():
    rows = [[tag("th", "w", scope="row"), tag("td", "<4", class_="mg-plus")]]
    head = [tag("th", name, scope="col") for name in ("name", "sum")]
    assert page_table(rows, head) == (
        '<div style="overflow-x: auto"><table style="margin: 0"><thead><tr><th scope="col">name'
        '</th><th scope="col">sum</th></tr></thead><tbody><tr><th scope="row">w</th>'
        '<td class="mg-plus">&lt;4</td></tr></tbody></table></div>'
    )
    assert '<caption style="text-align: left">none<' in page_table([], [], caption="none")
