"""What a notebook shows: a text, and the same as HTML; and the one writer of HTML tables.

    table(
        [[th("w", "row"), td("+4", class_="mg-plus-4")]],
        head=[th("name", "col"), th("w.grad", "col")],
        aria_label="gradients",
    )

What stands in a cell is HTML: `escape` what a learner typed. Attributes are given by name, in their
order, and escaped here: `class_` is class, `aria_label` is aria-label; None and "" leave one out.
"""

import html
from collections.abc import Iterable


_VOID = ("br", "col", "input", "wbr")  # elements without an end


class Shown:
    """text: for who reads or prints it. html: the same for a page."""

    def __init__(self, text: str, html: str) -> None:
        self.text, self.html = text, html

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class Html(str):
    """A text that is HTML already. Every other text is escaped where it enters: by `escape`."""

    def __add__(self, more: object) -> "Html":
        return joined(self, more)


def escape(text: object) -> Html:
    """A text as HTML; what is HTML already stays as it is."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def joined(*parts: object) -> Html:
    """Texts and HTML, one after the other; lists of them too. None is nothing."""
    flat = (
        joined(*part) if isinstance(part, Iterable) and not isinstance(part, str) else escape(part)
        for part in parts
        if part is not None
    )
    return Html("".join(flat))


def tag(name: str, /, *inner: object, **attributes: object) -> Html:
    """`<name ...>inner</name>`: what is not `Html` is escaped, within and in the attributes.

    An attribute that is True stands without a value, one that is False, None or "" not at all.
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}{'' if value is True else _valued(value)}"
        for key, value in attributes.items()
        if value is not None and value is not False and value != ""
    )
    end = "" if name in _VOID else f"</{name}>"
    return Html(f"<{name}{told}>{joined(*inner)}{end}")


def element(tag: str, inner: str, **attributes: object) -> str:
    """`<tag ...>inner</tag>`."""
    return f"<{tag}{_told(attributes)}>{inner}</{tag}>"


def td(inner: str, **attributes: object) -> str:
    """A cell."""
    return element("td", inner, **attributes)


def th(inner: str, scope: str = "", **attributes: object) -> str:
    """A cell that is a heading. scope: of what: "col", "row", "rowgroup"."""
    return element("th", inner, scope=scope, **attributes)


def tr(cells: Iterable[str], **attributes: object) -> str:
    """A row with attributes; without any, a list of cells is one."""
    return element("tr", "".join(cells), **attributes)


def col(**attributes: object) -> str:
    """What a table's `columns` are made of: the width of one, for example."""
    return f"<col{_told(attributes)}>"


def table(
    rows: Iterable[str | Iterable[str]],
    head: str | Iterable[str] = (),
    *,
    columns: Iterable[str] = (),
    caption: str = "",
    roles: bool = False,
    **attributes: object,
) -> str:
    """A table of rows, each a list of cells or made by `tr`; head: the row of headings, if any.

    roles: say the role of each part, which browsers forget where CSS lays a table out as no table.
    The cells' own are then given with them: role="cell".
    """
    group, row = ("rowgroup", "row") if roles else ("", "")

    def part(tag: str, rows: Iterable[str | Iterable[str]]) -> str:
        lines = (one if isinstance(one, str) else tr(one, role=row) for one in rows)
        return element(tag, "".join(lines), role=group)

    parts = [
        f'<caption style="text-align: left">{caption}</caption>' if caption else "",
        element("colgroup", widths) if (widths := "".join(columns)) else "",
        part("thead", [head]) if head else "",
        part("tbody", rows),
    ]
    return element("table", "".join(parts), role="table" if roles else "", **attributes)


def page_table(
    rows: Iterable[str | Iterable[str]],
    head: Iterable[str],
    caption: str = "",
    style: str = "margin: 0",
) -> str:
    """A table outside of the panels, which scrolls where a page is too narrow for it."""
    inner = table(rows, head, caption=caption, style=style)
    return element("div", inner, style="overflow-x: auto")


def _valued(value):
    return f'="{html.escape(str(value))}"'


def _told(attributes: dict[str, object]) -> str:
    """The attributes as they stand in a tag."""
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
