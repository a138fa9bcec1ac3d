"""The visual language of all widgets: colours, type, matrices, tables; light and dark.

Three glances: what is *given* in plain ink, what *you change* on the grey bench, what *follows*
tinted by sign. Sign is told three times: by + or \u2212, by a bar above or below, by blue or orange;
zero is plain. Violet is the learner's hand: focus, sliders, what was chosen, and dots round what
the last action changed. Sizes are for the back row of a lecture room: 16 px text on a projector
1280 px wide, controls and cells 32 px high on a grid of 4.
"""

import html

import ipywidgets

from ...formatting import brackets, indices, number, shape
from . import looks

LEVELS = 4  # of a tint: the larger a number among its neighbours, the stronger

_TOKENS = {  # name: (light, dark)
    "ink": ("#14171a", "#f1f3f4"),
    "paper": ("#ffffff", "#111111"),
    "quiet": ("#444b52", "#c6ccd1"),
    "edge": ("#6f767d", "#8d959c"),
    "line": ("#d3d8dd", "#3b4249"),
    "bench": ("#eff1f4", "#1e2226"),
    "plus": ("#006ba4", "#5f9ed1"),
    "minus": ("#c85200", "#ff800e"),
    "hand": ("#6a3fa0", "#bfa2f2"),
    "hand-tint": ("#e9e2f1", "#38314a"),
    "on-hand": ("#ffffff", "#14171a"),
}
_PLUS, _MINUS = "0, 107, 164", "255, 128, 14"  # tableau-colorblind10, told apart by every eye
_OPACITY = {"light": (0.10, 0.38), "dark": (0.16, 0.43)}  # of the weakest and the strongest tint


def colour(name):
    """A colour for SVG and CSS: the theme's within a panel, the light one in a picture outside."""
    return f"var(--mg-{name}, {_TOKENS[name][0]})"


def outside(theme="light"):
    """{name: colour} of a theme: for pictures that stand outside of a panel."""
    weakest, strongest = _OPACITY[theme]
    found = {name: values[theme == "dark"] for name, values in _TOKENS.items()}
    for level in range(1, LEVELS + 1):
        opacity = weakest + (strongest - weakest) * level / LEVELS
        found[f"plus-{level}"] = f"rgba({_PLUS}, {opacity:.2f})"
        found[f"minus-{level}"] = f"rgba({_MINUS}, {opacity:.2f})"
    return found


def _tokens(theme):
    return " ".join(f"--mg-{name}: {value};" for name, value in outside(theme).items())


_SIGNED = "\n".join(
    f".mg-panel .mg-{sign}-{level}:not(.mg-box), .mg-panel .mg-{sign}-{level} input {{"
    f" background: linear-gradient(var(--mg-{sign}-{level}) 0 0) var(--mg-paper); }}"
    for sign in ("plus", "minus") for level in range(1, LEVELS + 1)
)

_STYLE = """
.mg-panel { %(light)s
  color: var(--mg-ink); background: var(--mg-paper); border: 1px solid var(--mg-line);
  border-radius: 8px; padding: 8px 16px 10px; margin: 4px 2px; max-width: 1180px;
  container-type: inline-size; box-sizing: border-box; overflow: auto hidden;
  min-width: min(100%%, 360px); font: 16px/24px var(--jp-ui-font-family, sans-serif); }
body[data-jp-theme-light="false"] .mg-panel { %(dark)s }
.mg-panel .mg-panel { border: 0; padding: 0; margin: 0; }
.mg-panel .widget-html, .mg-panel .jupyter-widgets { font-size: 16px; }
.mg-panel .widget-html-content { font-size: 16px; line-height: 24px; color: var(--mg-ink); }
.mg-panel .widget-html, .mg-panel .widget-html-content { height: auto; min-width: 0; }
.mg-panel .widget-html-content svg { display: block; max-width: 100%%; height: auto; }
.mg-panel .widget-label { color: var(--mg-ink); font-size: 16px; height: 32px; line-height: 32px;
  margin: 0 4px 0 0; }
.mg-panel .mg-hidden { display: none !important; }  /* rows carry a display of their own */
.mg-panel .mg-unseen { visibility: hidden; }  /* keeps its place */
/* Once its kernel has stopped, ipywidgets marks every part of a panel; here it is said once. */
.mg-panel .jupyter-widgets-disconnected::before { display: none !important; }
.mg-panel.jupyter-widgets-disconnected::before { display: block !important; flex: none;
  font: 16px/24px var(--jp-ui-font-family, sans-serif); color: var(--mg-ink);
  border-left: 4px solid var(--mg-minus); padding: 4px 10px; margin: 0 0 8px;
  content: "The kernel behind this has stopped. To use it again: Run, then Run All Cells."; }
.mg-panel .mg-panel.jupyter-widgets-disconnected::before { display: none !important; }
.mg-panel.jupyter-widgets-disconnected :is(input, select, button) { pointer-events: none; }
.mg-panel .mg-head > .widget-html { flex: 1 1 300px; min-width: 0; }
/* words */
.mg-panel .mg-title { font-size: 20px; line-height: 32px; font-weight: 700; overflow-wrap: anywhere; }
.mg-code, .mg-title.mg-code { font-family: var(--jp-code-font-family, monospace); }
.mg-quiet { color: var(--mg-quiet); font-size: 14px; line-height: 20px; font-weight: 400; }
.mg-heading { font-weight: 700; }
.mg-line { overflow-wrap: anywhere; white-space: normal; }
.mg-rule { border-top: 1px solid var(--mg-line); margin: 8px 0 4px; }
.mg-message { border-left: 4px solid var(--mg-minus); background: var(--mg-minus-1);
  padding: 4px 12px; margin: 4px 0; max-width: 44em; white-space: normal; overflow-wrap: anywhere; }
.mg-spoken { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%%); white-space: nowrap; }
.mg-panel details > summary { font-weight: 700; cursor: pointer; }
/* numbers */
.mg-panel .mg-matrix { border-collapse: separate; border-spacing: 4px; margin: 0; padding: 0 2px;
  border-left: 2px solid var(--mg-ink); border-right: 2px solid var(--mg-ink);
  border-radius: 4px; font: 16px/24px var(--jp-code-font-family, monospace); }
.mg-panel .mg-matrix td { min-width: 56px; height: 32px; padding: 0 6px; text-align: right;
  box-sizing: border-box; border-radius: 3px; border-top: 3px solid transparent;
  border-bottom: 3px solid transparent; color: var(--mg-ink); }
.mg-panel .mg-matrix th { font-weight: 400; font-size: 14px; color: var(--mg-quiet); }
.mg-chip { display: inline-block; font: 16px/24px var(--jp-code-font-family, monospace);
  padding: 0 6px; border-radius: 3px; border-top: 3px solid transparent;
  border-bottom: 3px solid transparent; white-space: nowrap; }
.mg-panel [class*="mg-plus-"]:not(.mg-box) { border-top-color: var(--mg-plus); }
.mg-panel [class*="mg-minus-"]:not(.mg-box) { border-bottom-color: var(--mg-minus); }
.mg-panel .mg-chosen { box-shadow: inset 0 0 0 2px var(--mg-ink); }
.mg-panel .mg-different { box-shadow: inset 0 0 0 2px var(--mg-minus); }
.mg-panel .mg-cover { background: var(--mg-bench); color: var(--mg-quiet); text-align: center; }
.mg-panel .mg-lost { text-decoration: line-through; color: var(--mg-quiet); }
.mg-panel .mg-changed { outline: 2px dotted var(--mg-hand); outline-offset: 1px;
  animation: mg-fade 1.2s ease-in forwards; }
@keyframes mg-fade { to { outline-color: transparent; } }
.mg-panel svg .mg-changed { outline: none; animation: mg-vanish 1.2s ease-in forwards; }
@keyframes mg-vanish { to { opacity: 0; } }
@media (prefers-reduced-motion: reduce) {
  .mg-panel .mg-changed, .mg-panel svg .mg-changed { animation: none; } }
%(signed)s
.mg-panel table.mg-table { border-collapse: collapse; font-size: 16px; line-height: 24px; margin: 0; }
.mg-panel .mg-table th, .mg-panel .mg-table td { text-align: left; vertical-align: top;
  padding: 2px 12px 2px 0; border: 0; font-size: 16px; color: var(--mg-ink);
  white-space: normal; overflow-wrap: anywhere; }
.mg-panel .mg-table tbody tr { border-top: 1px solid var(--mg-line); background: none; }
.mg-panel .mg-table thead th { font-weight: 400; font-size: 14px; color: var(--mg-quiet); }
.mg-panel .mg-table tr.mg-now { box-shadow: inset 4px 0 0 var(--mg-ink); }
.mg-columns { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: flex-start; }
.mg-scroll { overflow-x: auto; max-width: 100%%; }
/* controls */
.mg-panel .mg-bench { background: var(--mg-bench); border-radius: 6px; padding: 8px; }
.mg-panel input[type=text], .mg-panel input[type=number] {
  font: 16px var(--jp-code-font-family, monospace); height: 32px; padding: 2px 8px; }
.mg-panel .mg-stepper input { text-align: right; width: 72px; min-width: 72px; }
.mg-panel .mg-stepper, .mg-panel .mg-box, .mg-panel .mg-field,
.mg-panel .widget-dropdown, .mg-panel .widget-text { height: auto; }
.mg-panel input, .mg-panel select { color: var(--mg-ink); background-color: var(--mg-paper);
  border: 1px solid var(--mg-edge); border-radius: 3px; }
.mg-panel .mg-box input { text-align: right; padding: 2px 4px; }
@supports (field-sizing: content) {  /* a box is as wide as its number, within bounds */
  .mg-panel .mg-box { width: auto !important; }
  .mg-panel .mg-box input { field-sizing: content; min-width: 56px; max-width: 12em; } }
.mg-panel .mg-box[class*="mg-plus-"] input { border-top: 3px solid var(--mg-plus); }
.mg-panel .mg-box[class*="mg-minus-"] input { border-bottom: 3px solid var(--mg-minus); }
.mg-panel .mg-wrong input { border: 2px solid var(--mg-minus); }
.mg-panel select { font-size: 16px; height: 32px; appearance: auto; background-image: none; }
.mg-panel button.jupyter-button { font-size: 16px; line-height: 22px; min-height: 32px; height: auto;
  width: auto; max-width: 100%%; padding: 4px 10px; white-space: normal; color: var(--mg-ink);
  background: var(--mg-paper); border: 1px solid var(--mg-edge); border-radius: 3px; margin: 0; }
.mg-panel button.jupyter-button:hover { box-shadow: 0 0 0 1px var(--mg-ink); }
.mg-panel button.jupyter-button:disabled { opacity: 1; color: var(--mg-quiet);
  background: var(--mg-bench); border-style: dashed; }
.mg-panel .mg-main button.jupyter-button, .mg-panel button.jupyter-button.mg-main:not(:disabled) {
  background: var(--mg-hand); color: var(--mg-on-hand); border-color: var(--mg-hand); }
.mg-panel .mg-modes { gap: 0; }
.mg-panel .mg-modes button.jupyter-button { border-radius: 0; margin-left: -1px; }
.mg-panel .mg-modes button.jupyter-button.mg-on { background: var(--mg-hand-tint);
  border-color: var(--mg-hand); z-index: 1; }
.mg-panel .widget-slider { height: 28px; margin: 0; width: 100%%; min-width: 0; }
.mg-panel .widget-slider > .widget-label, .mg-panel .mg-unlabelled > .widget-label,
.mg-panel .mg-box > .widget-label { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%%); }
.mg-panel .widget-slider .slider-container { margin: 0 10px; width: auto; flex: 1 1 auto; }
.mg-panel .noUi-target { background: var(--mg-edge); border: 0; height: 4px; border-radius: 2px; }
.mg-panel .noUi-connects .noUi-connect { background: var(--mg-hand) !important; }
.mg-panel .noUi-handle { background: var(--mg-hand) !important; border: 0 !important; border-radius: 50%%;
  width: 18px !important; height: 18px !important; top: -7px !important; right: -9px !important; }
.mg-panel .mg-weight:not(:focus-within) .widget-slider { visibility: hidden; }
.mg-panel input:focus-visible, .mg-panel select:focus-visible, .mg-panel button:focus-visible,
.mg-panel .noUi-handle:focus-visible, .mg-panel summary:focus-visible {
  outline: 3px solid var(--mg-hand); outline-offset: 1px; box-shadow: 0 0 0 1px var(--mg-paper); }
""" % {"light": _tokens("light"), "dark": _tokens("dark"), "signed": _SIGNED}

# What the page itself has to do, once: no key that is pressed within a panel reaches JupyterLab,
# where "x" would cut the cell; N and P press the buttons that a panel names for them, also after the
# button that had the focus was switched off or hidden, which leaves it to the page; a slider's
# handle gets the name of its slider, which ipywidgets does not give it. A style sheet tells when it
# has arrived on the page, so this needs no script and does nothing in a page that is not trusted.
_ON_ARRIVAL = """
if (!window.minigradKeys) {
  window.minigradKeys = true;
  let last = null;
  window.addEventListener('focusin', event => { last = event.target; });
  window.addEventListener('keydown', event => {
    const lost = event.target === document.body && last && last.matches &&
      last.matches(':disabled, .mg-hidden, .mg-hidden *');
    const at = lost ? last : event.target;
    const panel = at.closest && at.closest('.mg-panel');
    if (!panel) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    at.toggleAttribute('data-lm-suppress-shortcuts', plain);
    if (!plain || !/^[a-z]$/i.test(event.key)) return;
    if (at.matches('input, select, textarea')) return;
    panel.querySelector('.mg-key-' + event.key.toLowerCase() + ':not(:disabled)')?.click();
  }, true);
  const name = () => document.querySelectorAll('.mg-panel .noUi-handle:not([aria-label])').forEach(
    handle => handle.setAttribute('aria-label',
      handle.closest('.widget-slider')?.querySelector('.widget-label')?.textContent || 'slider'));
  new MutationObserver(name).observe(document.body, {childList: true, subtree: true});
}
"""


def style_sheet(more=""):
    """The widget that carries the style; every panel has one among its children."""
    arrival = escape(" ".join(_ON_ARRIVAL.split()))
    return ipywidgets.HTML(
        f'<style onload="{arrival}">{_STYLE}{more}</style>',
        style=looks.style(ipywidgets.HTML),
        layout=looks.layout(display="none"),
    )


def escape(text):
    return html.escape(str(text))


# --- numbers -------------------------------------------------------------------------------------


def sign_class(value, largest):
    """The class that tints a number by its sign, the stronger the larger it is; "" for zero."""
    if value == 0 or value != value or not largest:
        return ""
    share = min(1.0, abs(value) / largest) if abs(value) != float("inf") else 1.0
    return f"mg-{'plus' if value > 0 else 'minus'}-{max(1, round(share * LEVELS))}"


def largest_of(values):
    """The largest absolute value of an array that is finite; 0 for none."""
    finite = (abs(float(value)) for value in values.ravel())
    return max((value for value in finite if value < float("inf")), default=0.0)


def matrix(values, label, chosen=None, signed=True, cover=None, changed=(), different=()):
    """A NumPy array as an HTML table in its own shape, tinted by sign.

    label: what a screen reader calls it. chosen: the index to frame. signed: write every sign and
    tint; outputs and inputs that are not gradients read better without. cover: a text that stands
    in every cell instead, "?". changed, different: indices to mark.
    """
    sizes, largest = values.shape, largest_of(values)
    columns = sizes[-1] if sizes else 1
    rows, cells = [], []
    for position, index in enumerate(indices(sizes)):
        value = float(values[index])
        classes = [sign_class(value, largest)] if signed and cover is None else []
        classes += ["mg-cover"] * (cover is not None) + ["mg-chosen"] * (index == chosen)
        classes += ["mg-changed"] * (index in changed) + ["mg-different"] * (index in different)
        text = number(value, signed=signed) if cover is None else escape(cover)
        cells.append(f'<td class="{" ".join(filter(None, classes))}">{text}</td>')
        if (position + 1) % columns == 0:
            head = f'<th scope="row">{brackets(index[:-1])}</th>' if len(sizes) > 2 else ""
            rows.append(f"<tr>{head}{''.join(cells)}</tr>")
            cells = []
    described = escape(f"{label}, shape {shape(sizes)}")
    return (
        f'<div class="mg-scroll"><table class="mg-matrix" aria-label="{described}">'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def chip(value, largest=None, text=None, marks=""):
    """One signed number on its tint, within a line. marks: more classes, such as "mg-changed"."""
    tint = sign_class(value, abs(value) if largest is None else largest)
    text = number(value, signed=True) if text is None else text
    return f'<span class="mg-chip {tint} {marks}">{escape(text)}</span>'


# --- words and tables ----------------------------------------------------------------------------


def table(rows, head=(), label="", now=None):
    """A table of HTML cells; the first of each row is its heading. now: the row to mark."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = ""
    for place, (first, *cells) in enumerate(rows):
        mark = ' class="mg-now"' if place == now else ""
        data = "".join(f"<td>{cell}</td>" for cell in cells)
        body += f'<tr{mark}><th scope="row">{first}</th>{data}</tr>'
    return (
        f'<div class="mg-scroll"><table class="mg-table" aria-label="{escape(label)}">'
        f"{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table></div>"
    )


def title(formula="", words="", note=""):
    """The first line of a panel, a formula or words or both, and below it what to look for."""
    formula = f'<span class="mg-code">{escape(formula)}</span>' if formula else ""
    return f'<div class="mg-title">{formula}{escape(words)}</div>{quiet(note)}'


def quiet(text):
    """A line that stands back; nothing for no text."""
    return f'<div class="mg-quiet">{escape(text)}</div>' if text else ""


def heading(text, words=""):
    """The name of what stands below, as code, and quietly what it is."""
    words = f' <span class="mg-quiet">{escape(words)}</span>' if words else ""
    return f'<div class="mg-heading"><span class="mg-code">{escape(text)}</span>{words}</div>'


def code(text):
    return f'<span class="mg-code">{escape(text)}</span>'


def message(title, text, stays=""):
    """A refusal: what was said, by whom, and what stays."""
    title = f"<strong>{escape(title)}</strong> " if title else ""
    return f'<div class="mg-message" role="alert">{title}{escape(text)}{quiet(stays)}</div>'


def verdict(agrees, text):
    """Whether two answers agree: = or \u2260 and how far they are apart."""
    mark = "=" if agrees else '<span class="mg-chip mg-different">\u2260</span>'
    return f'<div><strong class="mg-code">{mark}</strong> {escape(text)}</div>'


def fold(summary, body):
    """What is read once: closed at first."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def spoken(text):
    """A sentence for screen readers only, announced politely when it changes."""
    return f'<div class="mg-spoken" role="status" aria-live="polite">{escape(text)}</div>'
