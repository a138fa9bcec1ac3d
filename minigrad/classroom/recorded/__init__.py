"""PyTorch's answers, recorded where torch is installed and shown, labelled, where it is not.

`python -m minigrad.classroom.record` writes these files; a test compares them with live torch.

    gate.json          to every pair of shapes of the shape gate: accepted, or the refusal's text
    inspector.json     the tables of the leaf inspector's examples, as they open
    jacobians.json     the Jacobians of the Jacobian picture's examples
    ledger.json        what the scripts of the ledger's examples leave in `.grad`
    nudges.json        the derivatives of the nudge meter's curves
    presets.json       `x.grad` of the upstream editor's examples, for each one-hot v
    programs.json      the results of the programs that the notebooks compare
    seams.json         what crosses each cut of the seam cutter's chains, for each one-hot v
    stepper.json       the gradients of the stepper's examples
    then_and_now.json  what the cells of the old documents show today
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
