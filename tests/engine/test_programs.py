"""Random programs do the same on both engines: values, dtypes, gradients, graphs, errors, warnings.

The test command runs some hundred programs of each kind, always the same ones. For 21,600, new ones
each time:

    pytest tests/engine/test_programs.py --hypothesis-profile=long
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.programs import LESS_COMMON, STATEMENTS, replay, write_and_run

MANY = 2 * settings().max_examples


def only(*groups):
    """The rows of some groups of statements."""
    return {group: STATEMENTS[group] for group in groups}


@settings(max_examples=MANY)
@given(st.data())
def test_programs_of_everything(data):
    write_and_run(data.draw)


@settings(max_examples=MANY)
@given(st.data())
def test_programs_that_change_tensors_and_differentiate(data):
    common = only("arithmetic", "shapes", "selections", "in place", "leaves", "hooks", "backward")
    write_and_run(data.draw, common, less_common={}, length=25)


@settings(max_examples=MANY)
@given(st.data())
def test_programs_of_less_common_operations(data):
    write_and_run(data.draw, only("arithmetic", "backward"), LESS_COMMON)


def test_a_program_that_was_printed_runs_again():
    replay("""
import torch
t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = t0 * t0
t2 = t1.backward(torch.tensor([1.0, 10.0]))
t3 = t1.backward(torch.tensor([1.0, 10.0]))  # RuntimeError
""")
