"""The ledger of .grad on the screen: what to call, a row for each call, the life of the graph."""

import re

import numpy as np

from ...show.drawing import palette
from ...show.drawing.svg import LETTER
from ...show.formatting import MINUS, fitting, number
from ...show.html import col, element, escape, table, td, th, tr
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .drawing import LONG, MAX_NODES, ROOM, draw_life, range_of
from .model import GradLedger, written

_OBJECTS = {"None": "", "new": "new", "same": "same", "another": "other"}
MOST, LEAST = 4, 2  # rows that are shown; earlier ones are folded
_TALL = 330  # pixels for the rows and the graph: what is left of a screen by all other parts
_HEAD, _ROW = 30, 44  # heights of the table's head and of a row
LONG_ERROR = 170  # letters; what goes beyond its first sentence is folded
_ROOM = 144  # pixels for one cell of gradients
_LETTERS = {1: 12, 2: 7, 3: 4}  # of small numbers, by how many stand side by side
_NONE = '<span class="mg-quiet mg-code">None</span>'
_WIDTHS = (40, 250, 152, 152, 60, 76, 65)


class GradLedgerPanel(View, of=GradLedger):
    use = "make calls"

    def build(self, model):
        self._cover = Cover(model)
        self._source, self._table, self._told, self._graph = (
            controls.html_area() for _ in range(4)
        )
        self._root = controls.dropdown(
            "start from", [model.root], self.acting(model.choose_root), "88px", labelled=False
        )
        empty = "the upstream gradient; empty calls backward() without an argument"
        self._field = controls.text_field("v =", empty, self.acting(model.set_upstream), "auto")
        self._field.placeholder = "none"
        self._field.add_class("mg-push")

        def label(text):
            return controls.html_area(f"<strong>{text}</strong>")

        def button(text, name, action, *given):
            return controls.button(text, name, self.acting(action, *given))

        retain = "Run backward and keep what the nodes keep"
        first = [
            label("graph"),
            button(
                "forward", "Compute the outputs again from the leaves: a new graph", model.forward
            ),
            button("backward(v)", "Run backward; it frees what the nodes keep", model.backward),
            button("backward(v, retain_graph)", retain, model.backward, True),
            self._root,
            self._field,
        ]
        self._next = button("line 1 of 1 \u25b6", "Do the next call of the script", model.next)
        replay = button("all \u25b6|", "Start anew and do the whole script", model.replay)
        self._scripted = [controls.classed("mg-push", label("script")), self._next, replay]
        step = f"Change each leaf in place by \u2212lr times its .grad; lr is {model.lr:g}"
        anew = "Start this ledger anew: fresh leaves, one forward"
        second = [
            label('<span class="mg-code">.grad</span>'),
            button("zero_()", "Write 0 into .grad: the same object stays", model.zero_),
            button("= None", "Take .grad away, as optimizer.zero_grad() does", model.set_none),
            button("step", step, model.step),
            *self._scripted,
            button("start anew", anew, model.reset),
        ]
        bench = controls.classed("mg-two", controls.bench([*map(controls.row, (first, second))]))
        self._told.add_class("mg-told")
        return [
            self.head(names=True),
            bench,
            *self._cover.places,
            self._source,
            self._table,
            self._told,
            self._graph,
        ]

    def redraw(self):
        answer, count = self.model.torch_answer(), len(self.model.rows)
        graph, tall = self._graph_html()
        shown = max(LEAST, min(MOST, int((_TALL - tall) // _ROW)))
        first, fold = max(0, count - shown), "<span></span>"
        rows = self._rows_html(range(first, count), answer, "ledger of .grad")
        self._table.value = f'<div style="min-height: {_HEAD + _ROW * shown}px">{rows}</div>'
        self._graph.value = graph
        self._told.value = self._told_html()
        if first:
            name = "row 1" if first == 1 else f"rows 1\u2013{first}"
            fold = theme.fold(name, self._rows_html(range(first), answer, "earlier calls"))
        source = theme.quiet(answer.label())
        self._source.value = f'<div class="mg-source">{fold}{source}</div>'
        self._redraw_controls()

    def _redraw_controls(self):
        model = self.model
        self._title.value = theme.title(model.example.formula)
        if list(self._root.options) != model.roots:
            self._root.options = model.roots
        self._root.value = model.root
        looks.show(self._root, len(model.roots) > 1)
        looks.mark(self._field, "mg-wrong", model.refused_at == "upstream")
        if model.refused_at != "upstream":
            if model.upstream is not None:
                controls.set_list(self._field, np.array(model.upstream))  # 1/3 stays 1/3
            elif self._field.value.strip().lower() != "none":
                self._field.value = ""
        line, lines = model.next_line(), len(model.script)
        for part in self._scripted:
            looks.mark(part, "mg-unseen", not lines)
        self._next.disabled = line is None
        self._next.description = f"line {min(model.script_done + 1, lines)} of {lines} \u25b6"
        self._next.tooltip = f"Do the next call of the script: {line}" if line else "done"

    def _told_html(self):
        """Why the last call failed or was refused, else what it did; and the spoken line."""
        model, row = self.model, self.model.rows[-1]
        if model.message:
            told = self.refusal("Nothing else changed.")
        elif row.error and not model.covered:
            told = _error_html(row)
        else:
            done = "" if model.covered else model.caption()
            done = len(model.rows) == 1 and model.told(model.example.note) or done
            told = element("div", escape(done), class_="mg-line")
        told += "".join(theme.message("Warning:", text) for text in row.warnings)
        return told + theme.spoken(model.announcement())

    def _rows_html(self, rows, answer, label):
        names = self.model.leaf_names
        grad = f"{names[0]}.grad is" if len(names) == 1 else "each .grad is"
        heads = ("row", "call", "added", grad, "object", "graph", "PyTorch")
        widths = (f"width: {100 * width / sum(_WIDTHS):.2f}%" for width in _WIDTHS)
        return table(
            [self._row_html(k, answer) for k in rows],
            [th(escape(name), "col") for name in heads],
            columns=[col(style=width) for width in widths],
            class_="mg-calls",
            aria_label=label,
        )

    def _row_html(self, k, answer):
        model, row = self.model, self.model.rows[k]
        newest, verdict = k == len(model.rows) - 1, model.comparison(k, answer)
        grads = {name: entry.grad for name, entry in row.entries.items()}
        added = {n: entry.added for n, entry in row.entries.items() if entry.added is not None}
        failed = "<strong>\u2717 refused</strong>" if row.error else ""
        torch = "\u2026" if answer.source == "loading" else "\u2013"
        if verdict:
            differs = element("span", "\u2260", class_="mg-chip mg-different", title=verdict[1])
            torch = "<strong>=</strong>" if verdict[0] else differs
        look = f"mg-state mg-state-{row.graph}"
        cells = {
            "added": _gradients(added) if added else failed,
            ".grad is": _gradients(grads, self._changed_grads() if newest else ()),
            "object": escape(_objects(row)),
            "graph": element("span", row.graph, class_=look) if row.graph else "\u2013",
            "PyTorch": torch,
        }
        if newest and model.covered:
            hidden = ("added", ".grad is", "object", "PyTorch")
            cells |= dict.fromkeys(hidden, '<span class="mg-chip mg-cover">?</span>')
        data = [td(cell, data_is=name if cell else "") for name, cell in cells.items()]
        first = [th(k + 1, "row"), td(self._call_html(k))]
        return tr([*first, *data], class_="mg-now" if newest else "")

    def _call_html(self, k):
        """A call as its button says it, and quietly below what it was given or made."""
        model, row = self.model, self.model.rows[k]
        code, detail = row.code, row.detail.replace("-", MINUS)
        if row.call.what == "backward":
            root, _, given = code.replace("=True", "").rpartition("backward")
            code = f"{root if len(model.roots) > 1 else ''}backward{given}"
        quiet = element("div", escape(detail), class_="mg-quiet mg-code") if detail else ""
        return element("div", theme.code(code) + quiet, title=f"{row.code}  {detail}")

    def _changed_grads(self):
        """{(leaf, index)} of what the last call changed in any .grad."""
        found = {}
        for name, entry in self.model.rows[-1].entries.items():
            values = np.full(np.shape(entry.value), np.nan) if entry.grad is None else entry.grad
            found |= {(name, index): str(value) for index, value in np.ndenumerate(values)}
        return self.changed("grads", found)

    def _graph_html(self):
        """The life of the graph, and how high its drawing is on a laptop's screen."""
        model = self.model
        quiet = element("span", escape(model.life_line()), class_="mg-quiet")
        words = element("div", f"life of the graph {quiet}", class_="mg-heading")
        if not 0 < len(model.nodes) <= MAX_NODES:
            many = f"It has {len(model.nodes)} nodes; up to {MAX_NODES} are drawn."
            return words + theme.quiet(many if model.nodes else ""), 0
        kept = [[value.state for value in node.kept] for node in model.nodes]
        kept = {(k, j): state for k, states in enumerate(kept) for j, state in enumerate(states)}
        changed = self.changed("kept", kept)
        if not model.covered:
            changed |= self._changed_grads()
        life = draw_life(model, changed)
        look, scale = (" mg-long", 1) if life.width > LONG else ("", min(1, ROOM / life.width))
        return f'{words}<div class="mg-life{look}">{life.svg()}</div>', life.height * scale

    def picture(self):
        """The life of the graph; its text tells the calls."""
        return draw_life(self.model) if 0 < len(self.model.nodes) <= MAX_NODES else None


def _gradients(grads, changed=()):
    """{leaf: numbers or None} as one cell of two lines at most; what has no room is folded."""
    if all(grad is None for grad in grads.values()):
        return _NONE
    title = "; ".join(f"{name}: {written(grad)}" for name, grad in grads.items())
    body = _several(grads, changed) if len(grads) > 1 else _one(*next(iter(grads.items())), changed)
    return element("div", body, title=title)


def _one(name, grad, changed):
    """A leaf's numbers in their shape: in one line, or smaller in two."""
    values = np.array(grad, dtype=float)
    columns, small = (values.shape or (1,))[-1], values.ndim > 1
    if not small:
        wide = sum(max(40, LETTER * 16 * len(number(v, signed=True)) + 10) + 2 for v in values.flat)
        small = wide + 8 > _ROOM
        columns = -(-columns // 2) if small and columns > 3 else columns
    if columns > 3 or values.size > 2 * columns:
        return _folded(name, grad)
    chips = _chips(name, values, changed, _LETTERS[columns] if small else 12)
    look = f"mg-vector{' mg-small' if small else ''}{'' if values.ndim else ' mg-flat'}"
    style = f"display: inline-grid; grid-template-columns: repeat({columns}, auto)"
    return element("span", chips, class_=look, style=style)


def _several(grads, changed):
    """The numbers of several leaves, each behind its name; of many the first leaf alone."""
    count = sum(map(np.size, grads.values()))
    room = _LETTERS[min(count, 3)]
    every = [value for grad in grads.values() if grad is not None for value in np.ravel(grad)]
    if count > 4 or any(len(fitting(value, room)) > room for value in every):
        (name, grad), *others = grads.items()
        return f'{_folded(name, grad)} <span class="mg-quiet">and {len(others)} more</span>'
    told = ""
    for name, grad in grads.items():
        chips = _NONE if grad is None else _chips(name, np.array(grad), changed, room)
        told += f"<span>{theme.code(name)} {chips}</span>"
    return element("span", told, class_="mg-vector mg-flat mg-small")


def _chips(name, values, changed, room):
    largest, chips = palette.largest_of(values), ""
    for index, value in np.ndenumerate(values):
        marks = "mg-changed" if (name, index) in changed else ""
        chips += theme.chip(value, largest, fitting(value, room), marks)
    return chips


def _folded(name, grad):
    text = "None" if grad is None else range_of(grad)
    return element("span", escape(f"{name} {text}"), class_="mg-quiet mg-code")


def _objects(row):
    """What became of .grad as an object: "new"; of several leaves only where they differ."""
    words = {name: _OBJECTS[entry.object] for name, entry in row.entries.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{name} {word}" for name, word in words.items() if word)


def _error_html(row):
    kind, _, text = row.error.partition(": ")
    if " " in kind:  # a sentence of ours, without a type
        kind, text = "", row.error
    told = escape(text)
    if len(text) > LONG_ERROR:
        told = escape(re.sub(r" \([^)]*\)", "", re.split(r"(?<=\.)\s", text)[0]))
    if "backward through the graph a second time" in text:
        told += (
            " Run <strong>forward</strong> for a new graph, or use <strong>retain_graph</strong>. "
        )
    if len(text) > LONG_ERROR:
        told += " " + theme.fold("PyTorch's whole sentence", f" {escape(text)}")
    title = f"<strong>{escape(kind)}.</strong> " if kind else ""
    return element("div", title + told, class_="mg-message", role="alert")
