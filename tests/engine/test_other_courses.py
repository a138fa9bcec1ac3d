"""Programs of the kind that other courses teach with: the same on both engines, the import apart.

They stand in other_courses.toml, by their titles; the words and the numbers are our own. Random
numbers differ between the engines, so what is compared starts from NumPy's.
"""

import pathlib
import tomllib

import pytest

from tests.engine.both import play

FILE = pathlib.Path(__file__).with_name("other_courses.toml")
PROGRAMS = tomllib.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], scale=10.0, coarse="float32")
