"""Programs as learners write them: both engines print the same, errors included.

They stand in learners_programs.toml: to add one, write it there.
"""

import contextlib
import io
import pathlib
import re
import tomllib

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import run, text

FILE = pathlib.Path(__file__).with_name("learners_programs.toml")
PROGRAMS = tomllib.loads(FILE.read_text("utf-8"))["programs"]
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")
# Elements that would be 0 but for float32's rounding: another processor makes others of them, or 0,
# and a 0 is printed otherwise.
ROUNDING_ERROR = re.compile(r"\d\.\d{4}e-(?:0[789]|[1-9]\d)")


def printed(engine, program):
    """Everything that a program prints, and the error that ends it."""
    program = re.sub(r"^(import|from) torch", rf"\1 {engine.__name__}", program, flags=re.MULTILINE)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        engine.manual_seed(0)
        try:
            exec(compile(program, "program", "exec"), {"torch": engine, "__name__": "__main__"})
        except (NameError, SyntaxError):  # a slip of whoever wrote it
            raise
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return "\n".join(map(text, said.getvalue().splitlines()))


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_program_prints_the_same(program):
    (theirs, warned), (ours, warned_too) = [
        run(printed, engine, program) for engine in (torch, minigrad)
    ]
    assert (
        " at 0x" not in theirs + ours
    )  # an address that `text` does not know: it differs from run to run
    assert not ROUNDING_ERROR.search(theirs + ours)
    assert NUMBER.sub("#", theirs) == NUMBER.sub("#", ours), (
        f"\ntorch:\n{theirs}\n\nminigrad:\n{ours}"
    )
    numbers = [np.array(NUMBER.findall(out), float) for out in (theirs, ours)]
    np.testing.assert_allclose(*numbers, rtol=2e-4, atol=2e-4)  # the last digit that is printed
    assert list(map(text, warned)) == list(map(text, warned_too))
