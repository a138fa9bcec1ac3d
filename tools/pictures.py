"""Pictures of all widgets for the documentation: python3 run.py pictures [name ...]

Runs the gallery notebook in a JupyterLab of its own and photographs every widget in a real browser,
as it opens and in one more state, in the light and in the dark theme. Writes `docs/widgets/*.png`
and `docs/widgets.md`, whose sentences are the gallery's. Without names: all widgets. Needs what the
browser tests need. The name `flow` is the README's moving picture, drawn without a browser.
"""

import html
import io
import json
import shutil
import sys
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

from minigrad.classroom import widgets
from tests.browser.lab import running_lab
from tests.browser.notebook import Notebook, launch
from tools import flow
from tools.files import ROOT

GALLERY = ROOT / "notebooks" / "90-pick-a-widget.ipynb"
PAGE, FOLDER = ROOT / "docs" / "widgets.md", ROOT / "docs" / "widgets"
COLOURS = 128  # of a picture: text stays crisp, and a file takes a third
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

# What a learner would do next: calls of the widget, and a sentence for what is then seen.
NEXT = {
    "PredictCard": (".commit([1, 4])", "A wrong guess beside the answer, and a reply to it."),
    "UpstreamEditor": (
        ".set_upstream([[1, 0, -1], [0, 0.5, 0]])",
        "Other weights: the sum below and all three answers follow.",
    ),
    "JacobianPicture": (".go_to(2)", "The rows weighed by v, and their columns added."),
    "BackwardStepper": (
        ".load('diamond').set_mode('overwrite').last()",
        "An engine that overwrites instead of adding, and the total it gets wrong.",
    ),
    "SeamCutter": (
        ".choose_mistake('forget')",
        "The gradient from the right half forgotten: ones in its place give another x.grad.",
    ),
    "ShapeGate": (
        ".choose_gradient((3,)).commit('accept').show_grid()",
        "A guess, three answers, and all pairs laid open.",
    ),
    "GradLedger": (
        ".backward().backward()",
        "A second backward pass: its graph is freed, as the hatching says, and PyTorch refuses.",
    ),
    "LeafInspector": (".tick('y', 'detach')", "y detached: what that changes, line by line."),
    "NudgeMeter": (
        ".set_power(-7)",
        "A smaller eps: in float32 rounding has taken over, in float64 it has not.",
    ),
    "ThenAndNow": (
        ".load('the gradient [1, 0]').choose('old rule')",
        "The rule of before 2019 acted out, beside what the document printed.",
    ),
}

HEAD = """\
# The widgets

As they look in JupyterLab. Each opens by one line at the top of a notebook; [the
gallery](../notebooks/90-pick-a-widget.ipynb) holds them all. These pictures and this page are
made by `python3 run.py pictures`, which needs Chromium.

| widget | opened by | its room in `minigrad/classroom/widgets/` |
| --- | --- | --- |
ROOMS

A room holds `model.py`, what the widget holds and does in plain Python; `view.py`, the panel over
it; and where it needs them its examples and its drawing. What rooms share is in `shared/`.

## Ask it what it can do

    editor = widgets.UpstreamEditor()
    editor.help()        # one page: what it opens, its options, its actions, its examples
    editor.examples()    # their names; widgets.UpstreamEditor("three losses") opens one
    editor.model         # the same state as text; a model works without a widget, too

Tab after `editor.` lists its actions and values. What a hand does, code does:
`editor.one_hot((0, 1))`.

| option | what it does | where |
| --- | --- | --- |
| `v=[1, 0, 2]` | the first upstream gradient; else the example's, or ones | all but four |
| `predict=True` | covers the result until a guess is committed | all but three |
| `predict="grad"` | covers this column | leaf inspector |
| `edit_input=True` | x can be edited, too | upstream editor |
| `lock_upstream=True` | keeps v as it is | upstream editor |
| `collect=False` | leaves out collecting J row by row | Jacobian picture |
| `u=[1, 0]` | the direction for J\u00b7u | Jacobian picture |
| `cut=2` | after how many functions to cut | seam cutter |
| `mode="overwrite"` | which engine goes backward | backward stepper |
| `lr=0.1` | the learning rate of `step` | ledger of .grad |
| `eps=0.1` | how far to nudge | nudge meter |
| `side="edited"` | which run stands beside the document | then and now |

`v=` is not for the predict card, the shape gate, the nudge meter and then and now; the leaf
inspector takes it for a program of your own. The predict card and the shape gate ask anyway. A
function of your own takes its numbers in order or by name:
`widgets.GradLedger(lambda w, x: w * x, w=2, x=[1, 2])`.

## Mouse and keys

- A box takes what is typed on **Enter** or **Tab**: `2`, `-0.5`, `1/3`, `1e-4`. What cannot be
  used is refused in place with a sentence, and the last good state stays.
- A weight shows its **slider** while it has the focus. It goes from \u22122 to 2, and further
  once a larger number was typed. Arrow keys move it.
- **Tab** reaches every control and leaves every widget; **Space** opens a list. No key that is
  pressed in a widget reaches JupyterLab, where `x` would cut the cell.
- In the backward stepper **N** is the next step and **P** the one before.
- Blue, + and a bar on top: positive. Orange, \u2212 and a bar below: negative. Zero is plain.
  Dots mark what your last action changed; violet is your hand.

## What JupyterLab must be told

`python3 run.py lab` and Binder give JupyterLab two settings, from
[binder/overrides.json](../binder/overrides.json):

- `saveState`: a saved notebook keeps the state of its widgets.
- `commsOverSubshells: disabled`: what a learner does reaches the kernel's main thread, and in its
  order.

Only in its main thread can Python stop a function that does not end. So with these settings, on
Linux and macOS, a widget says after a second that it is still computing, and stops after 15
seconds. On a server without them, or on Windows, a function without end may need *Kernel, Restart
Kernel*. On a server of your own copy the file into the folder `share/jupyter/lab/settings` of its
Python.
"""


def gallery():
    """[(name, title, sentence, line)] of every widget in the gallery, in its order."""
    cells = json.loads(GALLERY.read_text(encoding="utf-8"))["cells"]
    found = []
    for above, cell in zip(cells, cells[1:]):
        line = "".join(cell["source"])
        if cell["cell_type"] == "code" and line.startswith("widgets."):
            title, _, sentence = "".join(above["source"]).partition("\n\n")
            name = line.removeprefix("widgets.").partition("(")[0]
            found.append((name, title.removeprefix("## "), sentence.replace("\n", " "), line))
    return found


def photograph(names):
    """Photograph these widgets. Returns {name: (its summary, the summary of the next state)}."""
    every = [name for name, *_ in gallery()]
    said = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as private:
        shutil.copy(GALLERY, folder)
        with running_lab(folder, private) as address, sync_playwright() as playwright:
            page = launch(playwright).new_page(viewport={"width": 1280, "height": 1600})
            notebook = Notebook(page, address, GALLERY.name)
            notebook.execute(
                "from minigrad.classroom.compare import engines\ntorch = engines.torch_now()"
            )
            notebook.run_all()
            notebook.execute("shown = [Out[k] for k in sorted(Out) if hasattr(Out[k], 'model')]")
            for name in names:
                widget = f"shown[{every.index(name)}]"
                first = _take(notebook, every.index(name), widget, name)
                calls, _ = NEXT[name]
                problem = notebook.execute(f"after = {widget}{calls}")
                if problem:
                    raise SystemExit(f"{name}{calls}: {problem}")
                said[name] = first, _take(notebook, every.index(name), widget, f"{name}-next")
    return said


def _take(notebook, number, widget, name):
    """Both themes' pictures of one panel, and its widget's summary."""
    for theme, full_name in THEMES.items():
        notebook.use_theme(full_name)
        notebook.page.mouse.move(0, 0)
        notebook.page.wait_for_timeout(700)
        picture = Image.open(io.BytesIO(notebook.panel(number).screenshot()))
        picture = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(FOLDER / f"{name}-{theme}.png", optimize=True)
    return notebook.execute(f"print(repr({widget}))").strip()


def page(summaries):
    """The text of docs/widgets.md."""
    rooms = "\n".join(
        f"| {title} | `{name}` | `{widgets._ROOMS[name]}/` |" for name, title, *_ in gallery()
    )
    parts = [HEAD.replace("ROOMS", rooms)]
    for name, title, sentence, line in gallery():
        opened, next_state = summaries[name]
        parts.append(f"## {title}\n\n{sentence}\n\n```python\n{line}\n```\n")
        parts.append(_picture(name, opened))
        parts.append(f"{NEXT[name][1]}\n")
        parts.append(_picture(f"{name}-next", next_state))
    return "\n".join(parts)


def _picture(name, alternative):
    alternative = html.escape(" ".join(alternative.split()))
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" '
        f'srcset="widgets/{name}-dark.png">\n'
        f'<img alt="{alternative}" src="widgets/{name}-light.png">\n</picture>\n'
    )


def main(arguments):
    if not arguments or "flow" in arguments:
        flow.write()
        if arguments == ["flow"]:
            return
    arguments = [name for name in arguments if name != "flow"]
    every = [name for name, *_ in gallery()]
    unknown = [name for name in arguments if name not in every]
    if unknown:
        sys.exit(f"The gallery has no {unknown[0]}. It has {', '.join(every)}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    summaries = photograph(arguments or every)
    if not arguments:
        PAGE.write_text(page(summaries), encoding="utf-8", newline="\n")
    sizes = sum(path.stat().st_size for path in FOLDER.glob("*.png"))
    print(f"{len(summaries)} widgets; all pictures together take {sizes / 1e6:.1f} MB.")


if __name__ == "__main__":
    main(sys.argv[1:])
