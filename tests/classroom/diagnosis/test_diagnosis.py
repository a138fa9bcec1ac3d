"""%%diagnose: broken programs get their kind and their line, healthy ones get nothing."""

import functools
import importlib
import pathlib
import tomllib

import numpy as np
import pytest

import minigrad
from minigrad.classroom.compare.cells import Cell as PlainCell
from minigrad.classroom.diagnosis import diagnose as diagnosed
from minigrad.classroom.diagnosis import diagnose_cell
from minigrad.classroom.diagnosis.case import Case, OutOfTime, time_limit
from minigrad.classroom.diagnosis.cell import Cell
from minigrad.classroom.diagnosis.kind import KINDS
from tests.cases import over

HERE = pathlib.Path(__file__).parent
ENGINE = HERE.parents[1] / "engine"


def broken():
    """{title: (program, the line that ends with the mark)}; the title begins with the kind."""
    found = {}
    for kind, group in tomllib.loads((HERE / "broken.toml").read_text("utf-8")).items():
        for title, text in group.items():
            lines = text.rstrip().split("\n")
            [marked] = [k for k, line in enumerate(lines, 1) if line.endswith("# !")]
            program = "\n".join(line.removesuffix("  # !") for line in lines)
            found[f"{kind}: {title}"] = program, marked
    return found


BROKEN = broken()
HEALTHY = tomllib.loads((HERE / "healthy.toml").read_text("utf-8"))
NOTEBOOKS = tomllib.loads((HERE / "notebooks.toml").read_text("utf-8"))


def diagnose(program, **options):
    """Its diagnosis, with the same random numbers each time."""
    minigrad.manual_seed(0)
    return diagnosed(program, **options)


def told(program):
    return [(one.kind, one.line) for one in diagnose(program).findings]


@functools.cache
def of_broken(title):
    """The diagnosis of a broken program, which several tests look at."""
    return diagnose(BROKEN[title][0])


def in_a_function(program):
    return "\n".join(["def main():", *[f"    {line}" for line in program.split("\n")], "main()"])


def test_there_are_enough_of_them():
    kinds = [title.partition(":")[0] for title in BROKEN]
    assert len(kinds) >= 270 and len(HEALTHY) >= 450
    assert set(kinds) == set(KINDS) and all(kinds.count(kind) >= 3 for kind in KINDS)


@over("title", BROKEN)
def test_what_is_wrong_is_found_with_its_kind_and_its_cause(title):
    found = [(one.kind, one.line) for one in of_broken(title).findings]
    assert found == [(title.partition(":")[0], BROKEN[title][1])]


REMARK = "  # not .grad = None, no detach(), loss.item() == 1, retain_graph=True"


@over("title", list(BROKEN)[::3])
def test_remarks_empty_lines_and_a_function_around_it_change_nothing(title):
    program, line = BROKEN[title]
    lines = [f"\n{text}{REMARK}" for text in program.split("\n")]
    around = in_a_function("\n".join(lines))
    assert told(around) == [(title.partition(":")[0], 2 * line + 1)]


@over("title", HEALTHY)
def test_a_healthy_program_is_left_alone(title):
    diagnosis = diagnose(HEALTHY[title])
    assert not diagnosis.findings and not diagnosis.problem, diagnosis


@over("title", list(HEALTHY)[::4])
def test_a_function_around_a_healthy_program_changes_nothing(title):
    diagnosis = diagnose(in_a_function(HEALTHY[title].rstrip()))
    assert not diagnosis.findings and not diagnosis.problem, diagnosis


# What happens in a function of an earlier cell happens in one line of this one, and what stands
# there is not known.
UNKNOWN = {
    "integrated gradients progress",
    "outputs that stay at 0, one after the other, beside a training",
    "softmax overflow shown after training",
    "train then derivative of log at zero",
}


@over("title", sorted(HEALTHY.keys() - UNKNOWN))
def test_a_healthy_function_of_an_earlier_cell_is_left_alone(title):
    notebook = {}
    for cell in (in_a_function(HEALTHY[title].rstrip()).removesuffix("\nmain()"), "main()"):
        minigrad.manual_seed(0)
        diagnosis = diagnose_cell("", cell, notebook)
        assert not diagnosis.findings and not diagnosis.problem, diagnosis


@over("title", BROKEN)
def test_with_the_change_the_finding_is_gone(title):
    program, line = BROKEN[title]
    [finding] = of_broken(title).findings
    if finding.change:
        after = diagnose(finding.change.apply())
        assert "SyntaxError" not in after.problem and "NameError" not in after.problem, after
        assert (finding.kind, line) not in [(one.kind, one.line) for one in after.findings]


@over("title", BROKEN)
def test_what_stops_a_program_is_certain(title):
    diagnosis = of_broken(title)
    assert diagnosis.findings[0].certain or not diagnosis.problem


def test_a_gradient_that_another_model_fills_is_cleared_before_its_own_pass():
    """After the step it would be filled again by then."""
    title = "gradient-not-cleared: two models, of which one is cleared"
    [finding] = of_broken(title).findings
    assert "\n    od.zero_grad()\n    ld.backward()\n" in finding.change.apply()


@pytest.mark.parametrize(
    "line, said",
    [
        ("torch.log(w - w)", "Here log of 0 is -inf."),
        ("(w / (w - w))", "Here div of 1 and 0 is inf."),
        ("torch.exp(100 * w)", "Here exp of 100 is inf."),
        ("(w / 0)", "Here div of 1 and 0 is inf."),
        (
            "w * w[w > 5].mean()",
            "Here mean made nan or infinity, and what it was given holds neither.",
        ),
        ("torch.sqrt(w - w)", "sqrt got 0 here, and its slope at 0 is infinite."),
    ],
)
def test_a_number_that_is_none_is_told_with_what_it_was_made_of(line, said):
    program = f"""\
w = torch.ones(1, requires_grad=True)
for step in range(5):
    loss = {line}.sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None"""
    [finding] = diagnose(program).findings
    assert (finding.kind, finding.line, finding.sentence) == ("not-finite", 3, said)
    assert finding.certain


def test_gradients_that_no_step_used_are_counted():
    finding, *_ = of_broken(
        "cleared-before-step: micro-batches that are cleared one by one"
    ).findings
    assert finding.sentence.startswith("48 of 64 gradients of model.weight and model.bias")


def test_most_findings_come_with_a_change():
    changes = [of_broken(title).findings[0].change for title in BROKEN]
    assert sum(change is not None for change in changes) >= 0.7 * len(changes)


# Programs of the documents that stop, or are broken, as their documents say.
STOPS = "needs-v", "wrong-shape-v", "graph-freed", "integer-leaf"


@pytest.mark.parametrize("name", ["documents", "other_courses"])
def test_the_documents_programs_get_no_finding_unless_they_stop(name):
    for one in tomllib.loads((ENGINE / f"{name}.toml").read_text("utf-8")).values():
        program = one.get("source", "") if name == "documents" else one
        diagnosis = diagnose("from torch.autograd import Variable\n" + program)
        for finding in diagnosis.findings:
            assert diagnosis.problem and finding.kind in STOPS, (program, diagnosis)


SEEN = [name for name, kind in KINDS.items() if kind.rules]
PROVED = [(name, part) for name, kind in KINDS.items() for part in kind.errors]


@over("name", SEEN)
def test_without_a_rule_something_is_not_found(name):
    mine = [program for title, (program, _) in BROKEN.items() if title.startswith(name)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KINDS[name], "rules", [])
        assert any(name not in dict(told(program)) for program in mine)


@over("name, part", PROVED)
def test_without_the_rule_of_a_message_something_is_not_found(name, part):
    mine = [title for title in BROKEN if title.startswith(name)]
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(KINDS[name].errors, part)
        assert any(told(BROKEN[t][0]) != [(name, BROKEN[t][1])] for t in mine)


PATIENT = HEALTHY["the patient, healthy"].rstrip()


def test_a_diagnosis_is_text_and_html():
    diagnosis = diagnose(PATIENT.replace("    w.grad = b.grad = None", ""))
    assert "1. line 7: gradient-not-cleared" in repr(diagnosis)
    assert "[-1, -2.5]" in repr(diagnosis) and "08-add-up-grad" in repr(diagnosis)
    assert "after line 10 comes\n              w.grad = b.grad = None\n" in repr(diagnosis)
    page = diagnosis._repr_html_()
    assert "data:image/svg" in page and "gradient-not-cleared" in page and "<script" not in page
    assert 'width="360"' in page and "max-width: 22em" not in page  # the whole picture is seen
    assert "Nothing was found. That does not mean" in repr(diagnose("1 + 1"))
    assert "what follows was not run" in repr(diagnose("import torch\ntorch.nn.Transformer()"))


@over(
    "title, part",
    [
        ("cleared-before-step: the step before backward in every round", "Call backward() before"),
        ("no-graph: losses of a list made a tensor of numbers", "torch.stack(losses)"),
        ("no-gradient: a list of losses made numbers, beside a penalty", "torch.stack(losses)"),
        ("graph-freed: the same loss again, after the step", "The step between them"),
        ("uphill: the loss has its sign turned", "let a square grow"),
        ("value-changed: a state goes on, and its graph is kept", "Detach h once after each pass"),
        ("no-gradient: the loss as a Variable of its numbers", "line 8 goes away"),
        ("left-the-graph: two weights scaled when they are leaves already", "line 5 becomes"),
        ("leaf-in-place: three steps without no_grad", "line 9 becomes"),
        ("integer-leaf: two parameters of whole numbers", "line 4 becomes"),
        ("graph-freed: a generated batch that is not detached, GAN", "bce(D(fake.detach()),"),
        ("no-gradient: two parameters by hand, without requires_grad", "line 5 becomes"),
        ("zero-gradient: a rate so large that every relu dies", "The last "),
        ("zero-gradient: a network of zeros", "gradients of W1 and b1 were 0: the product"),
        (
            "changed-after-step: clipped after the step",
            "line 12 goes away\n      after line 13 comes",
        ),
        (
            "constant-in-loss: a gradient penalty whose pass is not recorded",
            "create_graph=True)[0]",
        ),
    ],
)
def test_what_is_advised(title, part):
    assert part in repr(of_broken(title))


@over("title", ["a product, with a gradient for each factor", "a sum of each row"])
def test_where_more_than_a_factor_is_missing_no_change_is_made_up(title):
    [finding] = of_broken(f"upstream-unused: {title}").findings
    assert not finding.change


def test_of_two_functions_of_one_name_the_one_that_ran_is_meant():
    program = BROKEN["upstream-unused: a square of one's own"][0]
    first, _, loop = program.partition("a = ")
    notebook = {}
    diagnose_cell("", f"{first}square = Square.apply", notebook)
    another = first.replace("return 2 * x", "return 2 * x * grad_output")
    second = f"{another}a = {loop.replace('Square.apply', 'square')}"
    [finding] = diagnose_cell("", second, notebook).findings
    assert finding.kind == "upstream-unused" and "loss = ((square(a)" in finding.code


def test_a_backward_that_is_no_plain_function_stops_no_diagnosis():
    program = """import functools
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    backward = staticmethod(functools.partial(lambda k, ctx, g: k * g, 2))
w = torch.ones(2, requires_grad=True)
for step in range(5):
    (Twice.apply(w) ** 2).sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None"""
    diagnosis = diagnose(program)
    assert not diagnosis.findings and not diagnosis.problem, diagnosis


def test_another_none_than_a_guarded_grad_is_not_laid_to_it():
    program = """x = torch.ones(2, requires_grad=True)
h = x * 2
h.sum().backward()
missing = None
print(h.grad.sum() if h.grad is not None else missing.sum())"""
    assert not diagnose(program).findings


def test_a_none_of_another_kind_proves_nothing_of_a_leaf_that_nothing_reaches():
    program = """x = torch.ones(2, requires_grad=True)
unused = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
print(x.grad, unused.grad)
rules = {"square": None}
print(rules["square"](x))"""
    [finding] = diagnose(program).findings
    assert finding.kind == "no-gradient" and not finding.certain


def test_a_step_before_backward_is_moved_behind_it():
    [finding] = of_broken("cleared-before-step: the step before backward in every round").findings
    assert not told(finding.change.apply())


def test_what_overflowed_before_is_not_laid_to_a_derivative():
    program = """w = torch.ones(2, requires_grad=True)
for step in range(5):
    loss = ((w * 1e30 * 1e30 - 1) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None"""
    assert "derivative" not in repr(diagnose(program))


def test_a_step_that_comes_late_is_seen():
    program = HEALTHY["a step that comes sixty passes after its gradient"]
    case = Case(Cell(program, (), {}), 60)
    assert [leaf.updates for leaf in case.known if leaf.name == "slow"] == [1]


def test_of_a_long_run_all_is_drawn():
    """Every second loss is left out, again and again."""
    program = PATIENT.replace("    w.grad = b.grad = None", "").replace("range(40)", "range(1000)")
    [finding] = diagnose(program).findings
    assert finding.apart == 8 and len(finding.losses) == 125


def test_the_magic_counts_lines_as_the_editor_does_and_gives_the_names_back():
    notebook = {"rate": 0.3, "np": __import__("numpy")}
    program = PATIENT.replace("0.3", "rate").replace(".mean()", "")
    diagnosis = diagnose_cell("", program, notebook)
    assert [(one.kind, one.line) for one in diagnosis.findings] == [("needs-v", 7)]
    assert "stopped in line 8" in repr(diagnosis) and "line 7 becomes\n" in repr(diagnosis)
    assert isinstance(notebook["w"], minigrad.Tensor)
    for line in ("soon", "-1", "nan"):
        assert "number of seconds" in repr(diagnose_cell(line, "1", {}))


def test_a_model_of_an_earlier_cell_that_only_its_functions_know_is_not_made_anew():
    notebook = {}
    layers = ", torch.nn.ReLU(), ".join(["torch.nn.Linear(2, 2)"] * 4)
    first = (
        f"net = torch.nn.Sequential({layers})\ndef loss():\n    return net(torch.ones(3, 2)).sum()"
    )
    diagnose_cell("", first, notebook)
    assert not diagnose_cell("", "for k in range(3):\n    loss().backward()", notebook).findings


def test_a_split_notebook_goes_on_with_what_was_made_before():
    notebook = {}
    first = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
    def forward(self, x):
        return self.fc(x)
model = Net()
X = torch.ones(6, 2)
pairs = [(X, torch.ones(6, 1))]
def error(model):
    return ((model(X) - 1) ** 2).mean()"""
    assert not diagnose_cell("", first, notebook).findings
    diagnose_cell("", "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", notebook)
    before = notebook["model"].fc.weight.tolist()
    loop = """for X, t in pairs * 6:
    loss = error(model)
    loss.backward()
    optimizer.step()"""
    [finding] = diagnose_cell("", loop, notebook).findings
    assert (finding.kind, finding.line) == ("gradient-not-cleared", 4)
    assert notebook["model"].fc.weight.tolist() != before  # it was trained, as in any notebook


@over(
    "first, second",
    [
        ("w, n = torch.zeros(2), 0", "n += 1\nw -= n\nprint(w, n)"),
        (
            "best = None",
            "for loss in [3., 2.]:\n    if best is None or loss < best:\n        best = loss",
        ),
        ("import torch\n@torch.no_grad()\ndef size(m):\n    return m.sum()", "size(torch.ones(2))"),
        ("seen, k = {1, 2}, range(3)", "print(seen, list(k))"),
        ("import functools\nadd = functools.partial(torch.sum, dim=0)", "add(torch.ones(3))"),
        ("class C: pass\nc = C()\nc.rate, c.w = 0.1, torch.ones(2)", "print(c.rate, c.w)"),
        ("history = {'loss': [], 'w': torch.ones(2)}", "history['loss'].append(1)"),
        ("waiting = (k for k in range(3))", "next(waiting)"),
    ],
)
def test_what_an_earlier_cell_made_can_be_read_and_set_anew(first, second):
    notebook = {}
    for cell in (first, second):
        diagnosis = diagnose_cell("", cell, notebook)
        assert not diagnosis.findings and not diagnosis.problem, diagnosis


@over("title", NOTEBOOKS)
def test_a_healthy_notebook_does_what_it_does_without(title, capsys):
    notebook, cells = {}, NOTEBOOKS[title].split("# %%\n")
    for cell in cells:
        diagnosis = diagnose_cell("", cell, notebook)
        assert not diagnosis.findings and not diagnosis.problem, diagnosis
    told = capsys.readouterr().out
    PlainCell("\n".join(cells))(minigrad)
    assert told == capsys.readouterr().out


def test_what_an_ordinary_cell_sets_in_between_counts():
    notebook = {}
    diagnose_cell("", "rate = 0.1\ndef half():\n    return rate / 2", notebook)
    notebook["rate"] = 3.0
    diagnose_cell("", "found = half()", notebook)
    assert notebook["found"] == 1.5


def test_an_object_that_answers_for_any_attribute_is_taken():
    first = """class Config:
    def __init__(self, **held):
        self.held = held
    def __getattr__(self, name):
        return self.__dict__["held"][name]
config = Config(rate=0.1)"""
    notebook = {}
    diagnose_cell("", first, notebook)
    assert not diagnose_cell("", "print(config.rate)", notebook).problem


def test_a_line_that_goes_away_leaves_nothing_but_in_an_empty_block():
    [finding] = of_broken("no-gradient: the loss as a Variable of its numbers").findings
    assert "pass" not in finding.change.apply()
    program = BROKEN["no-gradient: the loss as a Variable of its numbers"][0]
    program = program.replace("    loss = Variable", "    if True:\n        loss = Variable")
    [finding] = diagnose(program).findings
    assert "if True:\n        pass\n" in finding.change.apply()


def test_the_line_is_that_of_this_cell_where_another_cells_function_fails():
    notebook = {}
    function = "def back(w):\n    x = 1\n    y = 2\n    return (w * 2).backward()"
    diagnose_cell("", function, notebook)
    [finding] = diagnose_cell("", "w = torch.ones(3)\nback(w.requires_grad_())", notebook).findings
    assert (finding.kind, finding.line) == ("needs-v", 3)
    for title in BROKEN:
        of_it = "\n".join(["def f():", *[f"    {one}" for one in BROKEN[title][0].split("\n")]])
        if "global" not in of_it and "import *" not in of_it:
            notebook = {}
            diagnose_cell("", of_it, notebook)
            second = "import torch\nf()" + "\n# a remark" * 60
            diagnosis = diagnose_cell("", second, notebook)
            assert all(one.line == 3 for one in diagnosis.findings), (title, diagnosis)


def test_a_function_of_another_cell_that_reads_grad_is_taken_at_its_word():
    second = "norms = [norm(w) for _ in range(5)]\nprint(norms)"
    first = """import torch
w = torch.ones(3, requires_grad=True)
def norm(w):
    loss = (w ** 2).sum()
    w.grad = None
    loss.backward()
    print(loss.item())
    return w.grad.norm().item()"""
    notebook = {}
    diagnose_cell("", first, notebook)
    assert not diagnose_cell("", second, notebook).findings


def test_what_ipython_alone_understands_and_an_exit_are_no_errors():
    cell = "%matplotlib inline\n!ls\nimport sys\nprint(1 % 2)\nsys.exit(0)"
    assert not diagnose_cell("", cell, {}).problem


@over("end", ["\r\n", "\r", "\n# \x85 \x0b \u2028\n"])
def test_lines_are_counted_as_python_counts_them(end):
    program = end.join(["w = torch.ones(2, requires_grad=True)", "(w * 2).backward()"])
    [finding] = diagnose(program).findings
    assert finding.kind == "needs-v" and finding.code == "(w * 2).backward()"


def test_an_optimizer_of_an_earlier_cell_has_another_model():
    notebook = {}
    first = """from torch import nn
model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)"""
    diagnose_cell("", first, notebook)
    second = """model = nn.Linear(1, 1)
for step in range(10):
    opt.zero_grad()
    loss = ((model(torch.ones(4, 1)) - 5) ** 2).mean()
    loss.backward()
    opt.step()"""
    notebook["nn"] = minigrad.nn
    [finding] = diagnose_cell("", second, notebook).findings
    assert (finding.kind, finding.line) == ("not-updated", 7) and "holds other" in finding.advice


def test_an_optimizer_of_an_earlier_cell_holds_what_was_replaced():
    notebook = {}
    cells = [
        """import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)""",
        "model.add_module('2', torch.nn.Linear(4, 1))",
        """for step in range(10):
    opt.zero_grad()
    loss = ((model(torch.ones(4, 2)) - 5) ** 2).mean()
    loss.backward()
    opt.step()""",
    ]
    *_, last = [diagnose_cell("", cell, notebook) for cell in cells]
    [finding] = last.findings
    assert (finding.kind, finding.line) == ("no-gradient", 6) and "replaced" in finding.sentence


def test_gradients_of_an_earlier_cell_are_no_earlier_step():
    title = "micro-batches, clamped weights, and norms that are logged"
    first, mark, rest = HEALTHY[title].partition("for ")
    notebook = {}
    assert not diagnose_cell("", first, notebook).findings
    assert not diagnose_cell("", mark + rest, notebook).findings


def test_what_pytorch_made_is_refused_by_its_name():
    torch = importlib.import_module("torch")
    for value in (torch.ones(2), [torch.ones(2)], torch.nn.Linear(1, 1)):
        refused = repr(diagnose_cell("", "weights", {"weights": value}))
        assert refused.startswith("weights was made") and "Nothing" not in refused


def test_what_only_intention_decides_is_a_question():
    told = [
        (of_broken(title).problem, one) for title in BROKEN for one in of_broken(title).findings
    ]
    asked = {one.kind for _, one in told if not one.certain}
    sure = {one.kind for _, one in told if one.certain}
    unproved = {one.kind for problem, one in told if one.certain and not problem}
    assert {"uphill", "diverges", "not-updated", "broadcast-loss"} <= asked - unproved
    assert {"gradient-not-cleared", "graph-grows", "graph-kept", "needs-v"} <= sure - asked
    page = repr(diagnose(BROKEN["uphill: plus by hand"][0]))
    assert "Is this meant?" in page and "If not: " in page
    assert "Is this meant?" not in repr(diagnose(BROKEN["graph-kept: in a training"][0]))


def test_nothing_is_asked_where_the_loss_fell():
    program = """x = torch.ones(8, 1)
y = torch.full((8,), 100.0)
w = torch.zeros(1, 1, requires_grad=True)
for i in range(40):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None"""
    assert not told(program)
    assert told(program.replace("torch.full((8,), 100.0)", "torch.arange(8.)")) == [
        ("broadcast-loss", 5)
    ]


def test_what_it_prints_is_shown_and_so_is_its_last_line(capsys):
    diagnose("print('here')\ntorch.ones(2)")
    assert capsys.readouterr().out == "here\ntensor([1., 1.])\n"


def test_an_endless_program_is_stopped_and_judged():
    program = PATIENT.replace("for step in range(40)", "while True").replace(" = None", "")
    diagnosis = diagnose(program.replace("w.grad = b.grad", "pass"), seconds=0.5)
    assert "after 0.5 seconds" in diagnosis.problem
    assert [one.kind for one in diagnosis.findings] == ["gradient-not-cleared"]
    assert "after 0.1 seconds" in diagnose("while True: pass", seconds=0.1).problem


def test_what_is_stopped_while_it_switches_numpys_warnings_leaves_them_as_they_were():
    before = np.geterr()
    with pytest.raises(OutOfTime), time_limit(60):
        np.errstate(all="ignore").__enter__()
        raise OutOfTime
    assert np.geterr() == before


def test_without_an_alarm_as_in_a_browser_it_runs_to_its_end(monkeypatch):
    monkeypatch.delattr("signal.setitimer")
    assert not diagnose(PATIENT, seconds=0.0).problem


@pytest.mark.parametrize(
    "line, said",
    [
        ("torch.fft.fft(w)", "There is no torch.fft"),
        ("w.topk(1)", "'topk' in minigrad"),
        ("import torch.onnx", "minigrad.onnx"),
        ("X @ X", "RuntimeError: mat1 and mat2"),
        ("if:", "SyntaxError"),
        ("open('/no/such/file')", "FileNotFoundError"),
    ],
)
def test_what_else_stops_a_program_is_told(line, said):
    diagnosis = diagnose(f"{PATIENT}\n{line}")
    assert said in diagnosis.problem and not diagnosis.findings


def test_nothing_of_torch_is_imported(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)  # importing it would fail
    assert not diagnose(f"import torch\nfrom torch import nn\n{PATIENT}").problem


def test_ten_thousand_steps_are_watched_in_bounded_memory(capsys):
    count = """
    if step in (1_000, 9_999):
        gc.collect()
        print(sys.getallocatedblocks())"""
    program = PATIENT.replace("range(40)", "range(10_000)")
    diagnosis = diagnose(f"import gc, sys\n{program}{count}", seconds=600)
    assert not diagnosis.findings and not diagnosis.problem  # it was not stopped before its end
    early, late = map(int, capsys.readouterr().out.split())
    assert late - early < 900  # a number kept of each step would be 9,000


def test_a_leaf_that_another_one_continues_is_forgotten_with_its_tensor():
    """Or a later tensor, which may be given the same id, would be taken for it."""
    program = """p, w, earlier = torch.zeros(2), None, []
for step in range(5):
    earlier.append(w)
    w = p.detach().requires_grad_()
    loss = ((w - 1) ** 2).sum()
    loss.backward()
    p = w.detach() - 0.1 * w.grad
del p, w, loss, earlier"""
    assert not Case(Cell(program, (), {}), 60).notes.leaves


@pytest.mark.parametrize(
    "title", ["graph-freed: a derivative in the loss", "no-graph: a .grad is differentiated"]
)
def test_a_gradient_that_is_used_is_to_be_recorded_and_not_only_kept(title):
    """Kept alone, it would be a constant in the loss, and the gradient wrong without a message."""
    [finding] = of_broken(title).findings
    assert "create_graph=True" in str(finding.change)
