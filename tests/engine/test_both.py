"""What counts as the outcome of a program that runs on both engines."""
import gc
import threading
import warnings

import pytest
import torch

import minigrad
from tests.engine.both import run


class Leftover:
    """What another test did not close: found by the garbage collector, it warns."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        warnings.warn("unclosed", ResourceWarning, stacklevel=2)


def test_what_others_left_behind_is_no_warning_of_the_program():
    def program(torch):
        made = [[[]] for _ in range(100_000)]  # more than enough for a collection
        warnings.warn("the program's own", stacklevel=2)
        return len(made)

    gc.collect()
    left = [Leftover() for _ in range(2)]
    del left
    result, heard = run(program, minigrad)
    assert result == 100_000 and [str(warning) for warning in heard] == ["the program's own"]
    assert gc.isenabled()
    with pytest.warns(ResourceWarning):
        gc.collect()


def test_other_threads_warn_for_themselves():
    def program(torch):
        thread = threading.Thread(target=warnings.warn, args=("from elsewhere",))
        thread.start()
        thread.join()

    assert run(program, minigrad) == [None, []]


def test_a_warning_of_either_engine_is_heard():
    for engine in (torch, minigrad):
        _, heard = run(lambda torch: (torch.ones(1, requires_grad=True) * 2).grad, engine)
        assert "The .grad attribute of a Tensor that is not a leaf" in str(heard[0])
