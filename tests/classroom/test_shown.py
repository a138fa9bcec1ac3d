"""What a notebook shows: a text and its HTML; and the one writer of tables."""

from minigrad.classroom.show.html import Shown, col, element, escape, page_table, table, td, th, tr


def test_a_text_and_its_html_are_shown():
    shown = Shown("x = 1", "<b>x</b>")
    assert repr(shown) == str(shown) == shown.text == "x = 1"
    assert shown._repr_html_() == shown.html == "<b>x</b>"


def test_a_table_has_a_head_and_rows():
    rows = [[th("w", "row"), td("4", class_="mg-plus")], tr([td("", colspan=2)], class_="mg-now")]
    assert table(rows, [th("name", "col"), th("sum", "col")], aria_label="two") == (
        '<table aria-label="two"><thead><tr><th scope="col">name</th><th scope="col">sum</th></tr>'
        '</thead><tbody><tr><th scope="row">w</th><td class="mg-plus">4</td></tr>'
        '<tr class="mg-now"><td colspan="2"></td></tr></tbody></table>'
    )


def test_a_table_may_be_empty_and_have_a_caption():
    assert table([]) == "<table><tbody></tbody></table>"
    assert table([], caption="none").startswith('<table><caption style="text-align: left">none<')


def test_columns_have_widths():
    widths = [col(style=f"width: {w}px") for w in (20, 30)]
    assert table([], columns=widths).startswith(
        '<table><colgroup><col style="width: 20px"><col style="width: 30px"></colgroup><tbody>'
    )


def test_roles_are_said_where_css_hides_them():
    html = table([[td("1", role="cell")]], [th("x", role="columnheader")], roles=True, class_="c")
    assert html == (
        '<table role="table" class="c"><thead role="rowgroup"><tr role="row">'
        '<th role="columnheader">x</th></tr></thead><tbody role="rowgroup"><tr role="row">'
        '<td role="cell">1</td></tr></tbody></table>'
    )


def test_attributes_are_escaped_and_left_out_where_they_are_none():
    told = element("div", "<b>", data_name='a"<', aria_hidden="true", title=None, class_="")
    assert told == '<div data-name="a&quot;&lt;" aria-hidden="true"><b></div>'
    assert td("0", data_row=0) == '<td data-row="0">0</td>' and escape(1) == "1"


def test_a_table_on_a_page_scrolls():
    html = page_table([[td("1")]], [th("x", "col")])
    assert html.startswith('<div style="overflow-x: auto"><table style="margin: 0"><thead>')
