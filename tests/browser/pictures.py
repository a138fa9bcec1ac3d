"""Pictures of all widgets for the documentation: python3 run.py pictures [name ...]

Runs the gallery notebook in a JupyterLab of its own and photographs every widget in a real browser,
as it opens and in one more state, in the light and in the dark theme. Writes `docs/widgets/*.png`
and the part of `docs/widgets.md` that shows them, in the gallery's words. Without names: all
widgets. The name `flow` is the README's moving picture, drawn without a browser.

It drives the browser as the browser tests do, so it is kept with them.
"""

import html
import io
import json
import shutil
import sys
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

from minigrad.classroom.show.drawing.flow import animated, flow_in_words, read_flow
from tests.browser.lab import running_lab
from tests.browser.notebook import Notebook, launch
from tools.files import ROOT, write

GALLERY = ROOT / "notebooks" / "90-pick-a-widget.ipynb"
PAGE, FOLDER = ROOT / "docs" / "widgets.md", ROOT / "docs" / "widgets"
COLOURS = 128  # of a picture: text stays crisp, and a file takes a third
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

# What a learner would do next: calls of the widget, and a sentence for what is then seen.
NEXT = {
    "PredictCard": (".commit([1, 4])", "A wrong guess beside the answer, and a reply to it."),
    "UpstreamEditor": (
        ".set_upstream([[1, 0, -1], [0, 0.5, 0]])",
        "Another v: the sum below and all three answers follow.",
    ),
    "JacobianPicture": (".go_to(2)", "The rows weighed by v, and their columns added."),
    "BackwardStepper": (
        ".load('diamond').set_mode('overwrite').last()",
        "An engine that overwrites instead of adding, and the total it gets wrong.",
    ),
    "SeamCutter": (
        ".choose_mistake('forget')",
        "The gradient from the right half has been forgotten; ones in its place give a different "
        "x.grad.",
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

# What stands above this line in the page is written by hand; what follows, here.
MARK = "<!-- made by run.py pictures, as all that follows -->\n"


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
    parts = [PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK]
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


def flow_pictures():
    """{path in the project: SVG text} of the README's moving picture, whose numbers the engine
    computes, and of the same without motion, for readers who ask for that."""
    flow = read_flow()
    alt = html.escape(flow_in_words(flow, "p"))
    return {"docs/flow.svg": animated(flow, alt), "docs/flow-still.svg": animated(flow, alt, False)}


def main(*arguments):
    arguments = list(arguments)
    if not arguments or "flow" in arguments:
        for path, svg in flow_pictures().items():
            write(ROOT / path, svg)
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
        write(PAGE, page(summaries))
    sizes = sum(path.stat().st_size for path in FOLDER.glob("*.png"))
    print(f"{len(summaries)} widgets; all pictures together take {sizes / 1e6:.1f} MB.")


if __name__ == "__main__":
    main(*sys.argv[1:])
