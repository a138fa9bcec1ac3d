"""Who may import whom: the rooms of the house, held by reading every import statement.

The engine knows NumPy and the standard library. The classroom shows the engine and never
differentiates itself; its models are plain Python. torch is imported inside a comparison, when one
first needs it. Notebooks import what a learner would.
"""

import ast
import functools
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tests.cases import over

ROOT = Path(__file__).resolve().parents[2]
ENGINE = [
    path
    for path in sorted((ROOT / "minigrad").rglob("*.py"))
    if "classroom" not in path.relative_to(ROOT).parts
]
CLASSROOM = sorted((ROOT / "minigrad" / "classroom").rglob("*.py"))
WIDGETS = ROOT / "minigrad" / "classroom" / "widgets"
VIEWS = {"host"}  # what may know anywidget, and ipywidgets
DRAWINGS = [path for path in CLASSROOM if path.parent.name == "drawing"]
assert DRAWINGS, "the drawings have moved"
DOOR = WIDGETS / "__init__.py"
MODELS = [
    path for path in sorted(WIDGETS.rglob("*.py")) if path.stem not in VIEWS and path != DOOR
] + DRAWINGS
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

STANDARD = sys.stdlib_module_names


def imported(source, module="", everywhere=True):
    """The full names that `source`, the module of that name, imports.

    With `everywhere=False` only those imported as soon as the module is: not the ones inside
    functions.
    """
    names = set()
    package = module.split(".")

    def absolute(level, name):
        base = package[: len(package) - level] if level else []
        return ".".join(base + [name] if name else base)

    def visit(node):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node.level, node.module)
            names.update(f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            # import_module("torch") and __import__("torch") are imports too
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                start = getattr(node.args[0], "values", node.args)[0]  # of f".{name}" the "."
                name = start.value if isinstance(start, ast.Constant) else "?"
                names.add(absolute(len(name) - len(name.lstrip(".")), name.lstrip(".")))
        for child in ast.iter_child_nodes(node):
            function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            if everywhere or not function:
                visit(child)

    visit(ast.parse(source))
    return names


@functools.cache
def imports_of(path, everywhere=True):
    # In minigrad/ops/__init__.py one dot is minigrad.ops, as it is in minigrad/ops/x.py.
    parts = path.relative_to(ROOT).with_suffix("").parts
    return imported(path.read_text(encoding="utf-8"), ".".join(parts), everywhere)


def tops(names):
    return {name.partition(".")[0] for name in names}


def within(names, room):
    return {name for name in names if name == room or name.startswith(room + ".")}


def each(paths):
    return over("path", paths, ids=str)


def test_the_reader_of_imports_sees_every_form():
    source = (
        "import a.b, c\nfrom d import e\nfrom . import f\nfrom .g import h\n"
        "from .. import i\ndef later():\n    import j\n    importlib.import_module('k.l')\n"
        "__import__(name)\nimport_module('.m', __name__)\n"
        "import_module(f'.{n}', __name__)\n"
    )
    now = {"a.b", "c", "d.e", "p.q.f", "p.q.g.h", "p.i", "?", "p.q.m", "p.q"}
    assert imported(source, "p.q.module") == now | {"j", "k.l"}
    assert imported(source, "p.q.module", everywhere=False) == now


def test_there_is_an_engine_and_a_classroom():
    assert ENGINE and CLASSROOM and MODELS and NOTEBOOKS


@each(ENGINE)
def test_the_engine_imports_numpy_and_the_standard_library(path):
    names = imports_of(path)
    assert tops(names) <= {"minigrad", "numpy", *STANDARD}
    assert not within(names, "minigrad.classroom")


def names_of(path):
    """A file of the engine as a module: minigrad/ops/__init__.py is minigrad.ops."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_nobody_in_the_engine_imports_in_a_circle():
    """Not even inside a function; a package's own `__init__` may list its modules."""
    modules = {names_of(path): path for path in ENGINE}
    below = {}
    for module, path in modules.items():
        # `from .registry import method` is an import of minigrad.ops.registry
        found = {name if name in modules else name.rpartition(".")[0] for name in imports_of(path)}
        below[module] = {name for name in found & modules.keys() if name != module}
    while leaves := [module for module, names in below.items() if not names & below.keys()]:
        for module in leaves:
            del below[module]
    assert not below, {module: names & below.keys() for module, names in below.items()}


def test_an_import_inside_a_function_says_why():
    inside = []
    for path in ENGINE:
        lines = path.read_text(encoding="utf-8").splitlines()
        tree = ast.parse("\n".join(lines))
        nodes = {id(node) for node in tree.body}
        inside += [
            lines[node.lineno - 1]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in nodes
        ]
    assert len(inside) <= 12 and all("  # " in line for line in inside), inside


@each(CLASSROOM)
def test_the_classroom_imports_public_names_and_torch_only_when_needed(path):
    names = imports_of(path)
    assert tops(names) <= {
        "minigrad",
        "numpy",
        "anywidget",
        "traitlets",
        "ipywidgets",
        "IPython",
        "torch",
        *STANDARD,
    }
    assert "torch" not in tops(imports_of(path, everywhere=False))
    engine = within(names, "minigrad") - within(names, "minigrad.classroom")
    assert not [
        name
        for name in engine
        if any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
    ]


@each(MODELS)
def test_a_model_is_plain_python_on_the_engine(path):
    names = imports_of(path)
    assert not tops(names) & {"anywidget", "ipywidgets", "IPython", "torch"}
    assert not {name for name in names if VIEWS & set(name.split("."))}
    if path.stem == "model":  # it holds what is drawn, and does not draw
        assert not {
            name for name in names if name.endswith((".parts", ".inputs", ".panel", ".drawing.svg"))
        }


def code_of(notebook):
    """The Python of a notebook's cells; those that are meant not to parse are left out."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("%%"):
            source = "\n".join(line for line in source.splitlines() if line[:1] not in "%!?")
            try:
                yield ast.parse(source)
            except SyntaxError:
                assert "raises-exception" in cell["metadata"].get("tags", []), source


@each(NOTEBOOKS)
def test_a_notebook_imports_what_a_learner_would(path):
    builds_an_engine = {"numpy"} if path.stem[:2] in ("10", "13") else set()
    for code in code_of(path):
        names = tops(imported(ast.unparse(code)))
        assert names <= {"minigrad", "torch", *STANDARD, *builds_an_engine}


def test_no_two_notebooks_define_the_same_helper():
    where = defaultdict(set)
    for path in NOTEBOOKS:
        for code in code_of(path):
            for node in code.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    where[ast.unparse(node)].add(path.stem)
    assert not {definition: stems for definition, stems in where.items() if len(stems) > 1}


def loaded_by(code):
    """The names of modules that a Python of its own prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_importing_a_widgets_model_loads_nothing_of_weight():
    """Nor does the classroom, which this imports."""
    module = "minigrad.classroom.widgets.upstream_editor.model"
    loaded = loaded_by(f"import sys, {module}; print(*sys.modules)")
    assert {"numpy", "minigrad.classroom", module} <= loaded
    assert not loaded & {"torch", "ipywidgets"}


def test_the_engine_brings_no_package_but_numpy():
    """What `import minigrad` adds to NumPy comes from the standard library alone."""
    loaded = loaded_by(
        "import sys, numpy.random; before = set(sys.modules); import minigrad; "
        "print(*(set(sys.modules) - before))"
    )
    assert "minigrad" in tops(loaded) and "minigrad.classroom" not in loaded
    assert tops(loaded) <= {"minigrad", "numpy", *STANDARD}


@each(sorted((ROOT / "tools").rglob("*.py")))
def test_a_tool_imports_no_test_and_not_the_front_door(path):
    """But tools/test.py, which runs the tests, and asks for Debian's packages as run.py does."""
    allowed = {"run"} if path.name == "test.py" else set()
    assert tops(imports_of(path)) & {"tests", "run", "conftest"} <= allowed
