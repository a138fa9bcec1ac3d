"""The Jacobian picture on the screen: v left of J's rows, or u over its columns, and the facts.

At the first two stops the places of product and facts stay empty; the last shows them whole.
"""

import numpy as np

from ...show.formatting import indices, number, shape
from ...show.html import td
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .collection import BUGS
from .drawing import Picture
from .model import JacobianPicture

_MODES = {"backward": "v\u00b7J, from the left", "forward": "J\u00b7u, from the top"}
_EMPTY = "\u00b7"  # a number that is not there yet
_STOPS = {
    "backward": {0: "J", 1: "scale rows", 2: "add columns"},
    "forward": {0: "J", 1: "scale columns", 2: "add rows"},
}


class JacobianPicturePanel(View, of=JacobianPicture):
    use = "edit v and to scale J"
    _listed = None  # what the lists were made for: example and shapes
    _open = False  # whether the collecting part is unfolded

    def build(self, model):
        self._group = f"mg-cells-{id(self)}"  # radio buttons of one picture belong together
        self._note, self._picture, self._v_heading, self._u_heading = controls.html_areas(4)
        self._products, self._sizes, self._bytes, self._sentence = controls.html_areas(4)
        self._x = controls.ArrayInput(self, "input", "input", None, model.set_input, "x =", "150px")
        # In the page's order; v is drawn left of J.
        bench = self._build_bench(model)
        self._v = controls.ArrayInput(
            self, "upstream", "upstream gradient", model.set_upstream_entry
        )
        self._u = controls.ArrayInput(self, "direction", "direction", model.set_direction_entry)
        for vector in (self._v, self._u):
            vector.grid.add_class("mg-hands")
        part, facts = self._build_stage(model)
        collect = self._build_loops(model)
        looks.show(collect, model.collects)
        head = self.head(self._x.field, width="300px")
        looks.mark(self._example, "mg-unlabelled", True)  # there is no room for its name
        self._cover = Cover(model, [facts])
        return [head, self._note, bench, *self._cover.places, part, collect]

    def _build_bench(self, model):
        self._stop = controls.Choices("stop", _STOPS["backward"], self.acting(model.go_to))
        self._mode = controls.Choices("the way to look", _MODES, self.acting(model.look))
        self._fold = controls.button(
            "unfold",
            "Show J as a matrix, or in its full shape",
            lambda: self.act(model.fold, not model.folded),
        )
        parts = [self._stop.box, self._fold, self._mode.box]
        return controls.bench(parts, justify_content="space-between")

    def _build_stage(self, model):
        """J with v or u beside it, the facts, and the chosen cell; and the facts alone."""
        self._row = controls.dropdown(
            "row", [("", "")], lambda index: self.act(model.select, index, model.selected[1])
        )
        self._column = controls.dropdown(
            "column", [("", "")], lambda index: self.act(model.select, model.selected[0], index)
        )
        self._try = controls.button(
            "try J\u00b7v",
            "Try the product that does not belong here",
            lambda: self.act(model.try_product, model.wrong_pairing),
        )
        self._left = controls.classed("mg-left", controls.column([self._v_heading, self._v.grid]))
        self._above = controls.classed("mg-above", controls.column([self._u_heading, self._u.grid]))
        picture = controls.column([self._above, self._picture], min_width="0")
        self._main = controls.classed("mg-main-part", controls.column([self._left, picture]))
        self._tries = controls.row([self._try, self._sizes])
        facts = controls.column([self._products, self._tries, self._bytes])
        facts.add_class("mg-facts")
        stage = controls.row([self._main, facts], gap="8px 20px", align="flex-start")
        self._choose = controls.row([self._row, self._column], wrap=False)
        said = controls.row([self._sentence, self._choose], align="flex-start", wrap=False)
        said.add_class("mg-said")
        return controls.classed("mg-jacobian", controls.column([stage, said])), facts

    def _build_loops(self, model):
        """The part that collects J row by row, closed at first."""
        self._loop, self._collected = controls.html_areas(2)
        self._opens = controls.button(
            "", "Show or hide how J is collected, row by row", self._open_or_close
        )
        self._opens.add_class("mg-opener")
        bugs = [(f"{name}: {what}", name) for name, what in BUGS.items()]
        bugs[0] = (BUGS["none"], "none")
        self._bug = controls.dropdown("bug", bugs, self.acting(model.choose_bug))
        steps = [
            controls.button(text, spoken, self.acting(action))
            for text, spoken, action in (
                ("next one-hot", "Run backward with the next one-hot v", model.collect_next),
                ("collect all", "Run the rest of the one-hots, one by one", model.collect_all),
            )
        ]
        results = controls.row([self._loop, self._collected], gap="4px 26px", align="flex-start")
        self._loops = controls.column([controls.row([self._bug, *steps]), results])
        words = "one backward for each one-hot v, with the three classic bugs"
        top = controls.row([self._opens, controls.html_area(theme.quiet(words))])
        return controls.classed("mg-opens", controls.column([top, self._loops]))

    def _open_or_close(self):
        self._open = not self._open
        self.refresh()

    def redraw(self):
        picture = Picture(self.model)
        changed = self.changed("picture", picture.entries())
        self._picture.value = picture.html(self._group, changed)
        self._sentence.value = self._sentence_html() + theme.spoken(self.model.announcement())
        self._redraw_vectors(picture)
        self._redraw_facts()
        self._redraw_switches()
        self._redraw_lists()
        self._redraw_collection()

    def _redraw_switches(self):
        model = self.model
        self._mode.show(model.mode)
        self._stop.show(model.stop, _STOPS[model.mode])
        for stop, button in self._stop.buttons.items():
            button.disabled = model.covered and stop > 0
        looks.mark(self._fold, "mg-unseen", not model.foldable)
        self._fold.description = "unfold" if model.folded else "fold"

    def _redraw_vectors(self, picture):
        model, backward = self.model, self.model.mode == "backward"
        v, u = np.array(model.upstream), np.array(model.direction)
        looks.show(self._left, backward)
        looks.show(self._above, not backward)
        words = "" if picture.tight else "you change, "
        self._v_heading.value = theme.heading("v", words + shape(v.shape))
        self._u_heading.value = theme.heading("u", shape(u.shape))
        self._v.show(v)
        self._u.show(u)
        looks.mark(self._main, "mg-tight", picture.tight)
        looks.mark(self._main, "mg-unfolded", not model.folded)
        across, width, indent = u.size, picture.cell_width, picture.names_width + 8
        if not model.folded:
            across, width, indent = (u.shape[-1] if u.shape else 1), max(width, 56), 0
        looks.change(
            self._u.grid,
            grid_template_columns=f"repeat({across}, {width}px)",
            margin=f"0 0 0 {indent}px",
        )

    def _redraw_lists(self):
        model, example = self.model, self.model.example
        listed = (example, model.input_shape, model.output_shape)
        self._title.value = theme.title(example.formula)
        self._note.value = theme.quiet(model.told(example.note))
        if listed != self._listed:
            self._listed = listed
            self._x.field.description = f"{example.input_name} ="
            self._row.options = list(zip(model.row_names(), indices(model.output_shape)))
            self._column.options = list(zip(model.column_names(), indices(model.input_shape)))
        self._x.show(model.input)
        self._row.value, self._column.value = model.selected
        looks.show(self._choose, not model.message and model.tried is None)

    def _sentence_html(self):
        """The chosen cell in words; in its place why something was refused, or what was tried."""
        model, tried = self.model, self.model.tried
        if model.message:
            return self.refusal()
        if tried is not None and not tried.fits:
            return theme.message("", tried.told())
        said = tried.sentence if tried else theme.minus(model.sentence())
        return f'<div class="mg-line">{theme.escape(said)}</div>'

    def _redraw_facts(self):
        """Both products with their shapes, PyTorch's answers and the bytes, whole at stop 3."""
        model = self.model
        looks.mark(self._tries, "mg-unseen", model.stop < 2)
        self._try.description = f"try {model.wrong_pairing}"
        self._sizes.value = theme.quiet(model.wrong_sizes())
        if model.stop < 2:
            last = _STOPS[model.mode][2]
            self._products.value = theme.quiet(
                f"At \u201c{last}\u201d: both products and their shapes, PyTorch\u2019s answers, "
                "and the bytes that J takes."
            )
            self._bytes.value = ""
            return
        answer = model.torch_answer()
        agreed = {  # on a line that does not break
            what: f'<div><b>{theme.equal(agrees)} PyTorch</b> <span class="mg-quiet">off by '
            f"{theme.escape(difference)}</span></div>"
            for what, _, agrees, difference in model.comparison(answer)
        }
        self._products.value = "".join(
            theme.heading(name, what) + f"<div>{theme.code(shapes)}</div>" + agreed.get(name, "")
            for name, what, shapes, _ in model.pairings()
        )
        table = theme.table(model.memory_lines(), ("float32", "J", "v"), "bytes of J and v")
        self._bytes.value = table + theme.quiet(answer.text)

    def _redraw_collection(self):
        collection = self.model.collection
        self._opens.description = ("\u25be" if self._open else "\u25b8") + " Collect J, row by row"
        looks.show(self._loops, self._open)
        if not self._open:
            return
        self._bug.value = collection.bug
        lines = []
        for line, bug in collection.code():
            line = theme.escape(line)
            marked = f'<span class="mg-bug">{line}  \u2190 the bug</span>'
            lines.append(marked if bug else line)
        self._loop.value = f'<div class="mg-scroll mg-loop">{"<br>".join(lines)}</div>'
        equal, verdict = collection.verdict()
        sign = {True: "=", False: "\u2260", None: ""}[equal]
        rows = [
            [td(_EMPTY if n is None else number(n, minus=True)) for n in row]
            for row in collection.matrix
        ]
        table = theme.scrolling(rows, class_="mg-matrix mg-collected", aria_label="rows collected")
        said = f"<strong>{sign}</strong> {theme.escape(verdict)}"
        self._collected.value = f'{table}<div class="mg-line mg-equal">{said}</div>'
