"""A plot's drawing: matplotlib's, or the stored one of the same numbers where there is none.

In a browser alone there may be no matplotlib. `run.py record` keeps what the
lessons plot in `recorded/drawings.jsonl`, a line a drawing: what it was drawn from, and the SVG.
"""

import contextlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_FILE = Path(__file__).parents[1] / "compare" / "recorded" / "drawings.jsonl"
_listeners: list[list[dict[str, Any]]] = []


def draw(kind: str, **what: Any) -> str | None:
    """The SVG that `plots`' function `kind` draws; None if nothing can, and none is stored."""
    try:
        from . import plots
    except ImportError:
        return _stored(*_taken_apart(kind, what))
    svg = getattr(plots, kind)(**what)
    words, numbers = _taken_apart(kind, what)
    for heard in _listeners:
        heard.append({"words": words, "numbers": numbers, "svg": svg})
    return svg


@contextlib.contextmanager
def heard() -> Iterator[list[dict[str, Any]]]:
    """Within the block, a list of all that is drawn."""
    _listeners.append([])
    try:
        yield _listeners[-1]
    finally:
        _listeners.pop()


def differing(drawings: list[dict[str, Any]]) -> list[list[str]]:
    """The words of those that are not stored as they are, and of stored ones that are not there."""
    once = {json.dumps(one): one["words"] for one in drawings}
    kept = {json.dumps(one): one["words"] for one in _load()}
    return [{**once, **kept}[one] for one in sorted(once.keys() ^ kept.keys())]


def save(drawings: list[dict[str, Any]]) -> None:
    """Store these drawings, each once; the same ones always give the same bytes."""
    lines = {json.dumps(one, ensure_ascii=False) for one in drawings}
    _FILE.write_text("".join(f"{one}\n" for one in sorted(lines)), encoding="utf-8", newline="\n")
    _load.cache_clear()


@cache
def _load():
    text = _FILE.read_text(encoding="utf-8") if _FILE.exists() else ""
    return tuple(map(json.loads, text.splitlines()))


def _stored(words, numbers):
    """The drawing of these words and numbers. Another NumPy may add in another order: what differs
    by less than a thousandth cannot be seen."""
    for one in _load():
        if one["words"] == words:
            then, now = (np.array(given, dtype=float) for given in (one["numbers"], numbers))
            noise = 1e-6 * np.abs(then[np.isfinite(then)]).max(initial=0)
            if np.allclose(then, now, rtol=1e-3, atol=noise, equal_nan=True):
                return one["svg"]
    return None


def _taken_apart(kind, what):
    """What is drawn as words, the shapes of its arrays among them, and all numbers in a row."""
    words, numbers = [kind], []

    def take(one):
        if isinstance(one, dict):
            for name, inner in one.items():
                words.append(str(name))
                take(inner)
        elif isinstance(one, (list, tuple)):
            for inner in one:
                take(inner)
        elif isinstance(one, np.ndarray):
            words.append(f"array {one.shape}")
            numbers.extend(f"{value:.6g}" for value in one.ravel())
        else:
            words.append(str(one))

    take(what)
    return words, numbers
