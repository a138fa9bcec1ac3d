"""What a notebook shows: a text, and the same as HTML; and the one writer of HTML.

    tag("table", tag("tr", tag("th", name, scope="row"), tag("td", "+4", class_="mg-plus-4")))

A text is escaped where it enters, in `escape` alone; `Html` is HTML already. Attributes are given
by name, in their order: `class_` is class, `aria_label` is aria-label.
"""

import html
from collections.abc import Iterable
from functools import cache, lru_cache

_VOID = ("br", "col", "img", "input", "wbr")  # elements without an end


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
    return text if isinstance(text, Html) else Html(_escaped(str(text)))


_escaped = lru_cache(4096)(html.escape)  # a panel says most of its words again at every redraw


def joined(*parts: object) -> Html:
    """Texts and HTML, one after the other; lists of them too. None is nothing."""
    return Html("".join(_flat(parts, [])))


def _flat(parts: Iterable, texts: list) -> list:
    for part in parts:
        if isinstance(part, Html):
            texts.append(part)
        elif not isinstance(part, str) and hasattr(part, "__iter__"):
            _flat(part, texts)
        elif part is not None:
            texts.append(_escaped(str(part)))
    return texts


def tag(name: str, /, *inner: object, **attributes: object) -> Html:
    """`<name ...>inner</name>`: what is not `Html` is escaped, within and in the attributes.

    An attribute that is True stands without a value, one that is False, None or "" not at all.
    """
    start = f"<{name}"
    for key, value in attributes.items():
        if value is True:
            start += _spelt(key)
        elif value is not None and value is not False and value != "":
            start += f'{_spelt(key)}="{_escaped(str(value))}"'
    if name in _VOID:
        return Html(start + ">")
    return Html(f"{start}>{''.join(_flat(inner, []))}</{name}>")


@cache
def _spelt(key: str) -> str:
    return " " + key.rstrip("_").replace("_", "-")


def page_table(
    rows: Iterable[Iterable[str]],
    head: Iterable[str],
    caption: str = "",
    style: str = "margin: 0",
) -> Html:
    """A table outside of the panels, which scrolls where a page is too narrow for it.

    rows: of cells, `tag("td", ...)`; head: the row of headings.
    """
    title = tag("caption", caption, style="text-align: left") if caption else None
    body = tag("tbody", [tag("tr", *row) for row in rows])
    inner = tag("table", title, tag("thead", tag("tr", *head)), body, style=style)
    return tag("div", inner, style="overflow-x: auto")
