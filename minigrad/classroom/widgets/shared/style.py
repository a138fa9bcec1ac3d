"""The style of all panels: `host.css`, and the colours of both themes as variables before it."""

from pathlib import Path

from ...show.drawing.palette import LEVELS, variables

_RULES = Path(__file__).with_name("host.css").read_text(encoding="utf-8")


def _tints():
    """The tints of signed numbers, over paper, since they let it through."""
    return "".join(
        f".mg-{sign}-{level}:not(.mg-cover) {{ background:"
        f" linear-gradient(var(--mg-{sign}-{level}) 0 0) var(--mg-paper); }}\n"
        for sign in ("plus", "minus")
        for level in range(1, LEVELS + 1)
    )


def _fades():
    """How the mark of a change goes, as an outline and in a drawing: twice, for the two turns. (For
    a fade of its opacity a browser keeps a layer of every mark, in each picture of a drag.)"""
    ends = {"fade": "outline-color: transparent", "vanish": "visibility: hidden"}
    return "".join(
        f"@keyframes mg-{name}{again} {{ to {{ {end} }} }}\n"
        for name, end in ends.items()
        for again in ("", "-again")
    )


RULES = _tints() + _RULES  # all within a panel
STYLE = (
    f".mg-panel {{ {variables('light')} }}\n"
    'body[data-jp-theme-light="false"] .mg-panel:not(.mg-still) '
    f"{{ color-scheme: dark; {variables('dark')} }}\n"
    f".mg-panel {{\n{RULES}}}\n{_fades()}"
)
