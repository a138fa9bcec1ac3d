"""The visual language of all widgets: colours, type, focus ring, matrices; light and dark.

Sign is told twice: blue with "+", orange with a minus; zero is plain. Colours are tints behind the
text, whose own colour stays JupyterLab's, so contrast holds in both themes. Sizes are for the back
row of a lecture room: 16 px text on a projector 1280 px wide.
"""

import html

import ipywidgets

from ..formatting import brackets, indices, number, shape
from . import looks

# The first two of matplotlib's tableau-colorblind10 style, distinguishable in every colour vision.
BLUE = (0, 107, 164)
ORANGE = (255, 128, 14)
FAINTEST, STRONGEST = 0.10, 0.38  # opacity of the tint: text on it keeps a contrast above 4.5:1

_STYLE = """
.mg-panel {
  --mg-ink: var(--jp-ui-font-color0, rgba(0, 0, 0, 0.9));
  --mg-quiet: var(--jp-ui-font-color1, rgba(0, 0, 0, 0.8));
  --mg-paper: var(--jp-layout-color0, white);
  --mg-line: var(--jp-border-color0, #8a8a8a);
  color: var(--mg-ink); background: var(--mg-paper);
  border: 1px solid var(--mg-line); border-radius: 6px;
  padding: 10px 14px; margin: 4px 2px; max-width: 1180px;
  /* Beside another panel, in an HBox: neither pokes out of its frame, and neither is squeezed. */
  overflow: auto hidden; min-width: min(100%, 400px);
}
.mg-panel .widget-html, .mg-panel .jupyter-widgets { font-size: 16px; }
.mg-panel .widget-html-content { line-height: 1.45; color: var(--mg-ink); font-size: 16px; }
.mg-panel .widget-html, .mg-panel .widget-html-content { height: auto; min-width: 0; }
.mg-panel .widget-label { color: var(--mg-ink); font-size: 16px; height: 34px; line-height: 34px; }
.mg-panel .mg-hidden { display: none !important; }  /* rows carry a display of their own */
/* Once its kernel has stopped, ipywidgets marks every part of a panel; here the panel says it once. */
.mg-panel .jupyter-widgets-disconnected::before { display: none !important; }
.mg-panel.jupyter-widgets-disconnected::before { display: block !important; flex: none;
  font: 16px var(--jp-ui-font-family, sans-serif); color: var(--mg-ink);
  border-left: 5px solid rgb(255, 128, 14); padding: 4px 10px; margin: 0 0 8px;
  content: "The kernel behind this has stopped. Run this cell again to use it."; }
.mg-panel .mg-panel.jupyter-widgets-disconnected::before { display: none !important; }
.mg-panel.jupyter-widgets-disconnected :is(input, select, button) { pointer-events: none; }
.mg-title { font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
.mg-formula, .mg-matrix, .mg-number { font-family: var(--jp-code-font-family, monospace); }
.mg-quiet { color: var(--mg-quiet); font-size: 15px; }
.mg-matrix { border-collapse: separate; border-spacing: 2px; border-left: 2px solid var(--mg-ink);
  border-right: 2px solid var(--mg-ink); border-radius: 6px; padding: 0 3px; margin: 2px 0; }
.mg-panel .mg-matrix td { min-width: 44px; height: 26px; padding: 1px 7px; text-align: right;
  font-size: 16px; color: var(--mg-ink); border: 2px solid transparent; border-radius: 3px; }
.mg-panel .mg-matrix td.mg-chosen { border-color: var(--mg-ink); }
.mg-panel .mg-matrix th { font-weight: 400; font-size: 14px; color: var(--mg-quiet); }
.mg-heading { font-weight: 600; margin: 2px 0; }
.mg-heading .mg-quiet { font-weight: 400; }
.mg-columns { display: flex; flex-wrap: wrap; gap: 6px 26px; align-items: flex-start; }
.mg-columns > div { max-width: 100%; }
.mg-scroll { overflow-x: auto; max-width: 100%; }
.mg-message { border-left: 5px solid rgb(255, 128, 14); padding: 4px 10px; margin: 4px 0;
  max-width: 44em; white-space: normal; overflow-wrap: anywhere; }
.mg-line { overflow-wrap: anywhere; white-space: normal; }
.mg-spoken { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.mg-panel .mg-box input { font: 16px var(--jp-code-font-family, monospace); height: 34px;
  text-align: right; padding: 2px 8px; }
.mg-panel .mg-field input { font: 16px var(--jp-code-font-family, monospace); height: 34px; }
@supports (field-sizing: content) {  /* a box is as wide as its number, within bounds */
  .mg-panel .mg-box { width: auto !important; }
  .mg-panel .mg-box input { field-sizing: content; max-width: 14em; }
}
.mg-panel .mg-stepper input { font: 16px var(--jp-code-font-family, monospace); height: 34px;
  width: 84px; min-width: 84px; text-align: right; padding: 2px 6px; }
.mg-panel .mg-stepper, .mg-panel .mg-box, .mg-panel .mg-field,
.mg-panel .widget-dropdown { height: auto; }
.mg-panel input, .mg-panel select { color: var(--mg-ink); background-color: var(--mg-paper);
  border: 1px solid var(--mg-line); }
.mg-panel select { font-size: 16px; height: 34px; appearance: auto; background-image: none; }
.mg-panel button.jupyter-button { font-size: 16px; min-height: 34px; height: auto; width: auto;
  max-width: 100%; line-height: 24px; padding: 4px 12px; white-space: normal; color: var(--mg-ink); background: var(--jp-layout-color2, #eee);
  border: 1px solid var(--mg-line); border-radius: 4px; }
.mg-panel button.jupyter-button:hover { box-shadow: 0 0 0 1px var(--mg-ink); }
.mg-panel input:focus-visible, .mg-panel select:focus-visible, .mg-panel button:focus-visible {
  outline: 3px solid rgb(0, 107, 164); outline-offset: 1px; box-shadow: 0 0 0 1px var(--mg-paper); }
body[data-jp-theme-light="false"] .mg-panel :is(input, select, button):focus-visible {
  outline-color: rgb(95, 158, 209); }
"""


def style_sheet(more=""):
    """The widget that carries the style; every panel has one among its children."""
    return ipywidgets.HTML(
        f"<style>{_STYLE}{more}</style>",
        style=looks.style(ipywidgets.HTML),
        layout=looks.layout(display="none"),
    )


def escape(text):
    return html.escape(str(text))


def tint(value, largest, rgb=None):
    """The background of a value: its sign's hue, stronger the larger it is; none for zero."""
    if value == 0 or value != value or largest == 0:
        return "transparent"
    red, green, blue = rgb or (BLUE if value > 0 else ORANGE)
    share = min(1.0, abs(value) / largest) if abs(value) != float("inf") else 1.0
    return f"rgba({red}, {green}, {blue}, {FAINTEST + (STRONGEST - FAINTEST) * share:.2f})"


def matrix(values, label, chosen=None, signed=True, hidden=False):
    """A NumPy array as an HTML table in its own shape, tinted by sign.

    label: what a screen reader calls it. chosen: the index to frame. signed: write every sign and
    tint; outputs and inputs that are not gradients read better without. hidden: blanks, same size.
    """
    sizes = values.shape
    columns = sizes[-1] if sizes else 1
    finite = [abs(float(value)) for value in values.ravel() if abs(float(value)) < float("inf")]
    largest = max(finite, default=0.0)
    rows, cells = [], []
    for position, index in enumerate(indices(sizes)):
        value = float(values[index])
        text = "\u2026" if hidden else number(value, signed=signed)
        background = tint(value, largest) if signed and not hidden else "transparent"
        mark = ' class="mg-chosen"' if index == chosen else ""
        cells.append(f'<td{mark} style="background: {background}">{text}</td>')
        if (position + 1) % columns == 0:
            head = f'<th scope="row">{brackets(index[:-1])}</th>' if len(sizes) > 2 else ""
            rows.append(f"<tr>{head}{''.join(cells)}</tr>")
            cells = []
    described = escape(f"{label}, shape {shape(sizes)}")
    return (
        f'<div class="mg-scroll"><table class="mg-matrix" aria-label="{described}">'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def title(formula="", words="", note=""):
    """The first line of a panel, a formula or words or both, and below it what to look for."""
    formula = f'<span class="mg-formula">{escape(formula)}</span>' if formula else ""
    return f'<div class="mg-title">{formula}{escape(words)}</div>{quiet(note)}'


def quiet(text):
    """A line that stands back; nothing for no text."""
    return f'<div class="mg-quiet">{escape(text)}</div>' if text else ""


def heading(text, quiet=""):
    quiet = f' <span class="mg-quiet">{escape(quiet)}</span>' if quiet else ""
    return f'<div class="mg-heading"><span class="mg-formula">{escape(text)}</span>{quiet}</div>'


def message(title, text, stays=""):
    """A refusal: what was said, by whom, and what stays."""
    title = f"<strong>{escape(title)}</strong> " if title else ""
    return f'<div class="mg-message">{title}{escape(text)}{quiet(stays)}</div>'


def spoken(text):
    """A sentence for screen readers only, announced politely when it changes."""
    return f'<div class="mg-spoken" role="status" aria-live="polite">{escape(text)}</div>'
