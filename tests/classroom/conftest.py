"""What the classroom's tests run in: no event loop, and for some a machine without PyTorch."""

import asyncio
import sys

import pytest

from minigrad.classroom.compare import engines


@pytest.fixture(autouse=True)
def no_event_loop():
    """A widget outside a kernel never waits; a loop that other tests left must not count."""
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture
def no_torch(monkeypatch):
    """Make torch impossible to import, as on a machine where it is not installed."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(engines, "_warm", False)
    yield
    # Whatever was concluded while it was missing is forgotten again.
    monkeypatch.undo()
    engines._broken = False
