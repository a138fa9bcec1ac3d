"""PyTorch's answers, recorded where torch is installed and shown, labelled, where it is not.

`presets.json` holds, for each example of the upstream editor, what torch puts into `x.grad` for
each one-hot upstream gradient. `jacobians.json` holds the Jacobians of the Jacobian picture's
examples, `gate.json` torch's answer to every pair of shapes of the shape gate, and `programs.json`
the results of the programs that the notebooks compare. `python -m minigrad.classroom.record` writes
them again; a test compares them with live torch.
"""

import json
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def load(name):
    """The recorded file `name` (such as "presets"): {"torch": version, "answers": {...}}."""
    path = _FOLDER / f"{name}.json"
    if not path.exists():
        return {"torch": None, "answers": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def save(name, version, answers):
    """Write a recorded file; the same answers always give the same bytes."""
    content = {"torch": version, "answers": answers}
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (_FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    load.cache_clear()


def answer(name, key):
    """(answer, torch version) recorded under `key`, or (None, None)."""
    recorded = load(name)
    found = recorded["answers"].get(key)
    return (found, recorded["torch"]) if found is not None else (None, None)
