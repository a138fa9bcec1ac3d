"""PyTorch's answers, recorded where torch is installed and shown, labelled, where it is not.

`run.py record` writes `answers.jsonl`, a line an entry; a test compares every
line with live torch.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "answers.jsonl"


@cache
def _load():
    """(torch's version, {key: {name: record}}); see `results.record`."""
    if not _FILE.exists():
        return None, {}
    first, *lines = _FILE.read_text(encoding="utf-8").splitlines()
    entries = map(json.loads, lines)
    return json.loads(first)["torch"], {entry["key"]: entry["answer"] for entry in entries}


def answer(key: str) -> tuple[Any, str | None]:
    """(answer, torch's version) recorded under `key`, or (None, None)."""
    version, answers = _load()
    return (answers[key], version) if key in answers else (None, None)


def version() -> str | None:
    """The version of the torch that gave them; None where nothing is recorded."""
    return _load()[0]


def answers() -> dict[str, Any]:
    """{key: answer} of all that is recorded."""
    return dict(_load()[1])


def save(version: str, answers: dict[str, Any]) -> None:
    """Write all answers; the same answers always give the same bytes."""
    lines = [{"torch": version}]
    lines += [{"key": key, "answer": answers[key]} for key in sorted(answers)]
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    _FILE.write_text(text, encoding="utf-8", newline="\n")
    _load.cache_clear()
