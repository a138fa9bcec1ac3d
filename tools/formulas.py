"""Formulas of LaTeX as MathML, which every browser of today draws by itself: no script, no font and
no other host is needed. JupyterLab brings what it draws them with; books and slides have this.
"""

from latex2mathml.converter import convert


def mathml(latex, block=False):
    """One formula. A block stands on a line of its own."""
    return convert(latex, display="block" if block else "inline")
