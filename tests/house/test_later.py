"""Operations that are imported when first asked for: the table of their names says what is so."""

import json
import re
import subprocess
import sys

from tests.house.test_tree import ROOT

ASK = """
import json, sys
import minigrad
from minigrad import ops

def names():
    return {name: id(value) for name, value in vars(minigrad.Tensor).items()}, dict(ops.FUNCTIONS)

modules = [f"minigrad.ops.{module}" for module in ops.LATER]
early = [module for module in modules if module in sys.modules]
listed = set(dir(minigrad)), set(dir(minigrad.Tensor))
table = {}
for entries in ops.LATER.values():
    for entry in entries.split():
        name = entry.strip(".()")
        table[name] = (not entry.endswith("()"), not entry.startswith("."))
before = names()
ops.load_all()
after = names()
found = {name: tuple(name in new and old.get(name) != new[name] for old, new in zip(before, after))
         for name in {*after[0], *after[1]} if name != "__doc__"}
found = {name: changed for name, changed in found.items() if any(changed)}
unlisted = [name for name, (method, function) in found.items()
            if function and name not in listed[0] or method and name not in listed[1]]
print(json.dumps([early, sorted(table.items()), sorted(found.items()), unlisted]))
"""


def test_the_table_of_later_names_is_what_the_modules_add():
    run = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    early, table, found, unlisted = json.loads(run.stdout)
    assert not early, "imported although nobody asked for them"
    assert table == found
    assert not unlisted, "not shown by dir()"


def test_each_name_alone_loads_its_module():
    """Whatever is asked for first, and in an order that no program has."""
    code = """
import minigrad
from minigrad import ops
for name in sorted(ops.LATER_FUNCTIONS, reverse=True):
    assert callable(getattr(minigrad, name)), name
    assert getattr(minigrad, name) is ops.FUNCTIONS[name], name
x = minigrad.tensor([[3.0, 1.0], [2.0, 5.0]])
assert x.max() == 5 and x % 2 is not None and x.softmax(0).shape == (2, 2)
assert "sort" in minigrad.__all__
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr


def test_no_operation_calls_a_parameter_what_its_plan_needs():
    """The functions that are written out for an operation use these names themselves."""
    from minigrad import nn, ops  # noqa: F401
    from minigrad.operation import SOURCE, Operation

    ops.load_all()
    used = set(re.findall(r"(?<![\w.])[a-z_]\w*", re.sub(r"#.*|\{\w+\}", "", SOURCE))) | {"isinstance"}
    used -= {"value"}  # of a loop, where it hides nothing that is needed
    assert {"count", "node", "plan", "new", "cls"} <= used

    def below(cls):
        return {cls}.union(*map(below, cls.__subclasses__()))

    taken = {(cls.__name__, p) for cls in below(Operation) for p in cls.params if p in used}
    assert not taken
