"""Formulas of LaTeX as MathML, which every browser of today draws by itself: no script, no font and
no other host is needed. JupyterLab brings what it draws them with; books and slides have this.
"""

import re

from latex2mathml.converter import convert

FORMULA = re.compile(
    r"(?P<fence>^```.*?^```|`[^`\n]*`)|\$\$(?P<block>.+?)\$\$|\$(?P<line>[^$\n]+)\$",
    re.DOTALL | re.MULTILINE,
)


def mathml(latex, block=False):
    """One formula. A block stands on a line of its own."""
    return convert(latex, display="block" if block else "inline")


def drawn(markdown):
    """A text in Markdown whose formulas are MathML; programs in it stay as they are."""

    def one(found):
        if found["fence"]:
            return found[0]
        return mathml(found["block"] or found["line"], bool(found["block"]))

    return FORMULA.sub(one, markdown)
