"""The README's moving picture, docs/flow.svg: `python3 run.py pictures flow` draws it.

The engine computes its numbers. docs/flow-still.svg is the same without motion, for readers who ask
for that.
"""

from html import escape

from minigrad.classroom.show.drawing.flow import animated, flow_in_words, read_flow
from tools.files import ROOT


def pictures():
    """{path in the project: SVG text}."""
    flow = read_flow()
    alt = escape(flow_in_words(flow, "p"))
    return {"docs/flow.svg": animated(flow, alt), "docs/flow-still.svg": animated(flow, alt, False)}


def write():
    for path, svg in pictures().items():
        (ROOT / path).write_text(svg, encoding="utf-8")
