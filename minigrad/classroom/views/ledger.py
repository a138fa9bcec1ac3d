"""The ledger of .grad on the screen: the table of calls above, the life of the graph below."""

import numpy as np

from ..formatting import nested
from ..models.graph_life import written
from ..models.ledger import MAX_NODES
from ..models.ledger import GradLedger as LedgerModel
from . import controls, looks, theme
from .base import View
from .drawing import QUIET, Picture
from .graph_drawing import STORED
from .life_graph import draw_life
from .predict import Cover

MAX_LINES = 14  # of the table; earlier calls are left out, and it says so
_EVERY = ("every leaf", "every")
_STYLE = """
.mg-panel .mg-calls { border-collapse: collapse; width: 100%; }
.mg-panel .mg-calls th, .mg-panel .mg-calls td { border: 0; padding: 2px 16px 2px 0;
  text-align: left; vertical-align: top; font-size: 16px; color: var(--mg-ink);
  white-space: normal; overflow-wrap: break-word; }
.mg-panel .mg-calls td { font-family: var(--jp-code-font-family, monospace); }
.mg-panel .mg-calls thead th { font-weight: 600; white-space: nowrap; }
.mg-panel .mg-calls .mg-call > * { border-top: 1px solid var(--mg-line); }
.mg-panel .mg-calls .mg-newest { background: rgba(128, 128, 128, 0.13); }
.mg-panel .mg-calls .mg-short { white-space: nowrap; }
"""
_SHORT = 16  # letters; a cell with fewer is not broken


class GradLedger(View):
    """Call forward, backward, zero_ and step, and see what .grad becomes and what the graph keeps.

    Arguments as in `minigrad.classroom.models.ledger.GradLedger`, which is `.model`; its actions
    and values can be used on the widget too: `ledger.backward()`.
    """

    def __init__(self, what="x * x", *inputs, **options):
        model = what if isinstance(what, LedgerModel) else LedgerModel(what, *inputs, **options)
        self._cover = Cover(model)
        self._make_controls(model)
        super().__init__(model, self._layout())

    def _make_controls(self, model):
        self._example = controls.dropdown("example", model.listed(), self.acting(model.load))
        self._root = controls.dropdown("start from", [model.root], self.acting(model.choose_root))
        self._leaf = controls.dropdown(
            "leaf",
            [_EVERY],
            lambda name: self.act(model.choose_leaf, "" if name == "every" else name),
        )
        self._field = controls.text_field(
            "v =",
            "the upstream gradient; empty calls backward() without an argument",
            self.acting(model.set_upstream),
            width="13em",
        )
        self._field.placeholder = "none"
        self._buttons = {
            "forward": controls.button(
                "forward",
                "Compute the outputs again from the leaves: a new graph",
                self.acting(model.forward),
            ),
            "backward": controls.button(
                "backward(v)",
                "Run backward; it frees what the nodes keep",
                self.acting(model.backward),
            ),
            "retain": controls.button(
                "backward(v, retain_graph)",
                "Run backward and keep what the nodes keep",
                self.acting(model.backward, True),
            ),
            "zero_": controls.button(
                "zero_()", "Write 0 into .grad: the same object stays", self.acting(model.zero_)
            ),
            "none": controls.button(
                ".grad = None",
                "Take .grad away, as optimizer.zero_grad() does",
                self.acting(model.set_none),
            ),
            "step": controls.button(
                "step",
                f"Change each leaf in place by -{model.lr:g} times its .grad",
                self.acting(model.step),
            ),
            "next": controls.button(
                "next line", "Do the next call of the script", self.acting(model.next)
            ),
            "replay": controls.button(
                "whole script", "Start anew and do the whole script", self.acting(model.replay)
            ),
            "reset": controls.button(
                "start anew", "Start this ledger anew", self.acting(model.reset)
            ),
        }
        self._title, self._script = controls.html_area(), controls.html_area()
        self._told, self._table, self._graph = (controls.html_area() for _ in range(3))

    def _layout(self):
        button = self._buttons
        return [
            theme.style_sheet(_STYLE),
            controls.row([self._title, self._example], gap="4px 26px"),
            controls.row(
                [button["forward"], self._root, self._field, button["backward"], button["retain"]]
            ),
            controls.row(
                [self._leaf, button["zero_"], button["none"], button["step"], button["reset"]]
            ),
            controls.row([button["next"], button["replay"], self._script]),
            *self._cover.places,
            self._table,
            self._told,
            self._graph,
        ]

    # --- what it shows ----------------------------------------------------------------------------

    def redraw(self):
        model = self.model
        answer = model.torch_answer()
        self._table.value = self._table_html(answer)
        self._graph.value = self._graph_html()
        self._told.value = self._told_html()
        note = "" if model.covered else model.example.note
        self._title.value = theme.title(model.example.formula, note=note)
        self._redraw_controls()
        self._cover.redraw(self)

    def _redraw_controls(self):
        model = self.model
        self._example.value = model.example.name
        _list(self._root, [(name, name) for name in model.roots], model.root)
        _list(
            self._leaf,
            [_EVERY, *((name, name) for name in model.leaf_names)],
            model.leaf or _EVERY[1],
        )
        looks.show(self._root, len(model.roots) > 1)
        looks.show(self._leaf, len(model.leaf_names) > 1)
        if model.refused_at != "upstream":
            _set_upstream(self._field, model.upstream)
        line = model.next_line()
        self._buttons["next"].disabled = line is None
        for name in ("next", "replay"):
            looks.show(self._buttons[name], bool(model.example.script))
        done = f"script, line {model.script_done + 1} of {len(model.example.script)}: "
        self._script.value = (
            f'<span class="mg-quiet">{done}<span class="mg-formula">'
            f"{theme.escape(line)}</span></span>"
            if line
            else ""
        )

    def _told_html(self):
        """PyTorch's error in the last call, a refusal, or nothing; and the spoken line."""
        model, row = self.model, self.model.rows[-1]
        told = ""
        if model.message:
            told = theme.message("Not used.", model.message, "Nothing else changed.")
        elif row.error and not model.covered:
            kind, text = row.error
            title = f"{row.code.split(', v =')[0]} failed. {kind + ':' if kind else ''}"
            told = theme.message(title, text)
        told += "".join(theme.message("Warning:", text) for text in row.warnings)
        return told + theme.spoken(model.announcement())

    def _table_html(self, answer):
        model = self.model
        rows, lines, left_out = [], 0, 0
        for k in reversed(range(len(model.rows))):
            lines += max(1, len(model.rows[k].entries))
            if lines > MAX_LINES and rows:
                left_out = k + 1
                break
            rows.insert(0, self._row_html(k, model.comparison(k, answer), answer))
        sentence = answer.text if answer.source in ("missing", "error") else ""  # of no answer
        head = "".join(
            f'<th scope="col">{name}</th>'
            for name in (
                "row",
                "call",
                "leaf",
                ".grad",
                "added",
                ".grad is",
                f'PyTorch <span class="mg-quiet" style="font-weight: 400">'
                f"{'' if sentence else theme.escape(answer.text)}</span>",
            )
        )
        earlier = (
            f'<div class="mg-quiet">{left_out} earlier calls are not shown; '
            "print(ledger.model) shows all.</div>"
            if left_out
            else ""
        )
        return (
            f'{earlier}<div class="mg-scroll"><table class="mg-calls" aria-label="ledger of .grad">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
            f"{theme.quiet(sentence)}"
        )

    def _row_html(self, k, verdict, answer):
        model, row = self.model, self.model.rows[k]
        hidden = model.covered and k == len(model.rows) - 1
        newest = "mg-newest" if k == len(model.rows) - 1 else ""
        entries = list(row.entries.items()) or [(None, None)]
        records = answer.found or ()
        theirs = records[k]["grads"] if k < len(records) else {}
        cells = []
        for place, (name, entry) in enumerate(entries):
            found = []
            if place == 0:
                span = f' rowspan="{len(entries)}"' if len(entries) > 1 else ""
                found += [
                    f'<th scope="row"{span}>{k + 1}</th>',
                    f"<td{span}>{theme.escape(row.code)}</td>",
                ]
            if entry is None:
                texts = ["", "", self._failure(row), "", ""]
            elif hidden:
                texts = [name, *["\u2026"] * 4]
            else:
                texts = [
                    self._leaf_text(k, name, entry),
                    written(entry.grad),
                    self._added_text(row, entry, place),
                    _OBJECTS[entry.object],
                    _torch_text(theirs, name, verdict),
                ]
            found += [
                f"<td{_whole(text)}>{theme.escape(text)}</td>" for text in texts
            ]
            classes = f"{newest} mg-call" if place == 0 else newest
            cells.append(f'<tr class="{classes}">{"".join(found)}</tr>')
        return "".join(cells)

    def _leaf_text(self, k, name, entry):
        """The leaf's name, with its numbers where they are new."""
        before = self.model.rows[k - 1].entries.get(name) if k else None
        if before is None or before.value != entry.value:
            return f"{name} = {written(entry.value)}"
        return name

    def _added_text(self, row, entry, place):
        if entry.added is not None:
            return "+ " + written(entry.added)
        return self._failure(row) if place == 0 else ""

    @staticmethod
    def _failure(row):
        return f"\u2717 {row.error[0] or 'refused'}" if row.error else ""

    def _graph_html(self):
        model = self.model
        nodes = model.nodes
        life = (
            f'<div class="mg-heading">The graph <span class="mg-quiet">'
            f"{theme.escape(model.life_line())}</span></div>"
        )
        if len(nodes) > MAX_NODES:
            return life + (
                f'<div class="mg-quiet">It has {len(nodes)} nodes; up to {MAX_NODES} are '
                "drawn.</div>"
            )
        if not nodes:
            return life
        return f"{life}{self._svg()}{_KEY}"

    def _svg(self, **colours):
        label = f"Graph, from the leaves to the result. {self.model.life_line()} "
        label += self._nodes_in_words()
        return draw_life(self.model, self._leaves(), self._results(), label, **colours)

    def _leaves(self):
        """{leaf: its .grad, where there is room for it}."""
        if self.model.covered:
            return {}
        texts = {name: written(grad) for name, grad in self.model.grads.items()}
        return {name: text if len(text) <= _SHORT else "" for name, text in texts.items()}

    def _results(self):
        """{result: its v, where backward starts}."""
        model = self.model
        v = "v = 1, assumed" if model.upstream is None else f"v = {nested(model.upstream)}"
        if len(v) > 24:
            v = "v, see above"
        return {name: v if name == model.root else "" for name in model.roots}

    def _nodes_in_words(self):
        return " ".join(
            f"{node.name}: "
            + (", ".join(f"{value.name} {value.state}" for value in node.kept) or "keeps nothing")
            + "."
            for node in self.model.nodes
            if node.leaf is None
        )

    # --- without a kernel -------------------------------------------------------------------------

    def snapshot(self):
        """A picture of the state, with PyTorch's side from the recorded answers alone."""
        model = self.model
        answer = model.stored_answer()
        picture = Picture()
        picture.title(model.example.formula)
        bottom = 30
        for line in model.table_text(answer).split("\n"):
            bottom += 20
            picture.text(0, bottom, line, size=14, font="code")
        if answer.source == "stored":
            bottom += 22
            picture.text(0, bottom, f"PyTorch: {answer.text}", size=14, colour=QUIET)
        bottom = picture.paragraph(0, bottom + 30, model.life_line(), 100, font="text")
        if len(model.nodes) <= MAX_NODES and model.nodes:
            picture.drawing(0, bottom, self._svg(colours=STORED))
        return picture.img(model.text(answer)) + "<p>Run this cell to use the ledger.</p>"

    def summary(self):
        model = self.model
        if model.covered:
            grads = "covered"
        else:
            grads = ", ".join(
                f"{name}.grad = {written(grad)}" for name, grad in model.grads.items()
            )
        calls = "1 call" if len(model.rows) == 1 else f"{len(model.rows)} calls"
        return f"Ledger of .grad, {model.example.name}: {calls}, {grads}"


def _whole(text):
    return ' class="mg-short"' if len(text) <= _SHORT else ""


_OBJECTS = {  # what became of the object that .grad was
    "None": "",
    "new": "a new object",
    "same": "the same object",
    "another": "another object",
}
_KEY = (
    '<div class="mg-quiet">solid arrows: forward; dashed: the last backward, with the order in '
    "which nodes ran; filled: kept for backward; hatched: freed</div>"
)


def _torch_text(theirs, name, verdict):
    if verdict is None or name not in theirs:
        return ""
    agrees, text = verdict
    return ("= " if agrees else f"\u2260 ({text}) ") + written(theirs[name])


def _list(control, options, value):
    """Set a drop-down's entries, if they are others, and the one chosen."""
    if list(control.options) != options:
        control.options = options
    control.value = value


def _set_upstream(field, upstream):
    """Set the field of v unless its text already means that: 1/3 stays 1/3."""
    if upstream is None:
        if field.value.strip().lower() not in ("", "none"):
            field.value = ""
    else:
        controls.set_list(field, np.array(upstream))
