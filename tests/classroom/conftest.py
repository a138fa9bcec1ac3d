"""What some of the classroom's tests run in: a machine without PyTorch."""

import sys

import pytest

from minigrad.classroom.compare import engines


@pytest.fixture
def no_torch(monkeypatch):
    """Make torch impossible to import, as on a machine where it is not installed."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(engines, "_warm", False)
    yield
    # Whatever was concluded while it was missing is forgotten again.
    monkeypatch.undo()
    engines._broken = False
