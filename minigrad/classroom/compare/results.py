"""What a program gave on one engine, as plain records that can be stored, compared and read.

A record is a dict of JSON values with a "kind": tensor, array, error, warning, text, int, float,
bool, None, list, tuple or dict. Two engines' records agree when kind, dtype, shape and values do.
"""

import math
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..show.formatting import nested, shape
from . import agreement
from .heard import caught_printing, caught_warnings

MAX_WRITTEN = 60  # elements of a tensor written out; all are compared


Record = dict[str, Any]


def run(program: Callable, engine: ModuleType) -> tuple[dict[str, Record] | None, str | None]:
    """(results, problem): the program's results on one engine as plain records, by name.

    A record is a dict of plain JSON values with a "kind"; see `record`. problem is a sentence, or
    None; with a problem there are no results.
    """
    error = returned = None
    with caught_warnings() as caught, caught_printing() as printed:
        try:
            returned = program(engine)
        except Exception as raised:
            error = raised
    results = {}
    if isinstance(returned, dict):
        results = {str(name): record(value) for name, value in returned.items()}
    elif error is None and (returned is not None or not printed.getvalue()):
        kind = "nothing" if returned is None else f"something of type {type(returned).__name__}"
        return None, (
            f"compare(program): the program returned {kind}. End it with a dict that names what to "
            'compare, for example: return {"a.grad": a.grad}'
        )
    if error is not None:
        results["error"] = record(error)
    if printed.getvalue():
        results["printed"] = {"kind": "text", "value": printed.getvalue().rstrip("\n")}
    warned = [(one.category.__name__, first_sentence(str(one.message))) for one in caught]
    warned = list(dict.fromkeys(warned))  # each once, however often it was said
    for number, (kind, text) in enumerate(warned, start=1):
        name = "warning" if len(warned) == 1 else f"warning {number}"
        results[name] = {"kind": "warning", "type": kind, "value": text}
    return results, None


def record(value: Any, depth: int = 0) -> Record:
    """A result as plain JSON values, for both engines alike: kind, type, dtype, shape, values."""
    if depth > 8:
        return {"kind": "text", "value": "\u2026"}
    if isinstance(value, BaseException):
        return {"kind": "error", "type": type(value).__name__, "value": str(value)}
    if hasattr(value, "detach") and hasattr(value, "tolist"):
        return _numbers("tensor", value, value.detach().tolist())
    if isinstance(value, np.ndarray):
        return _numbers("array", value, value.tolist())
    if type(value).__name__ == "Size":
        return {"kind": "text", "value": f"torch.Size({[int(size) for size in value]})"}
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {"kind": kind, "values": [record(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        values = [record(item, depth + 1) for item in value.values()]
        return {"kind": "dict", "names": [str(name) for name in value], "values": values}
    return _single(value.item() if isinstance(value, np.generic) else value)


def _numbers(kind, value, values):
    return {
        "kind": kind,
        "dtype": str(value.dtype).split(".")[-1],
        "shape": [int(size) for size in value.shape],
        "values": [_plain(one) for one in np.asarray(values, dtype=object).ravel().tolist()],
    }


def _single(value):
    """The record of one number or text, or of what is told by its text."""
    if value is None:
        return {"kind": "None", "value": None}
    for kind, name in ((bool, "bool"), (str, "text"), (float, "float")):
        if isinstance(value, kind):
            return {"kind": name, "value": _plain(value)}
    if isinstance(value, int):
        return {"kind": "int", "value": value if abs(value) < 2**53 else str(value)}
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # addresses differ from run to run
    return {"kind": "text", "value": text.replace("minigrad.", "torch.")}


def value_of(record: Record) -> Any:
    """A record as a plain value: a tensor as an array, an error as (type, text)."""
    kind = record["kind"]
    if kind in ("tensor", "array"):
        numbers = [complex(x) if isinstance(x, str) and "j" in x else x for x in record["values"]]
        numbers = [float(x) if isinstance(x, str) else x for x in numbers]
        return np.array(numbers).reshape(record["shape"])
    if kind in ("list", "tuple"):
        return [value_of(item) for item in record["values"]]
    if kind == "dict":
        return dict(zip(record["names"], map(value_of, record["values"])))
    if kind in ("error", "warning"):
        return record["type"], record["value"]
    return {"float": float, "int": int}.get(kind, lambda value: value)(record["value"])


def _plain(number):
    """A number that JSON can hold: nan and the infinities become text."""
    odd = isinstance(number, complex) or isinstance(number, float) and not math.isfinite(number)
    return str(number) if odd else number


def first_sentence(text: str) -> str:
    """What a message says first, without the place where PyTorch's own code said it."""
    text = re.sub(r"\s*\((?:Triggered|function) .*\)\s*$", "", text.strip(), flags=re.DOTALL)
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)[0]


def difference(ours: Record | None, theirs: Record | None) -> tuple[str, bool]:
    """(what differs, agrees) for two records; None stands for a result missing on one side."""
    if ours is None or theirs is None:
        return "missing", False
    if ours["kind"] != theirs["kind"]:
        return "type", False
    for name in ("shape", "dtype", "names", "type"):  # of a tensor, a dict, an error
        if ours.get(name) != theirs.get(name):
            return name, False
    kind = ours["kind"]
    if kind in ("tensor", "array"):
        return _number_difference(ours["values"], theirs["values"], ours["dtype"])
    if kind == "float":
        return _number_difference([ours["value"]], [theirs["value"]], "float32")
    if kind in ("list", "tuple", "dict"):
        return _difference_of_several(ours["values"], theirs["values"])
    if ours["value"] == theirs["value"]:
        return "", True
    return ("text" if kind in ("error", "warning", "text") else "value"), False


def _difference_of_several(ours, theirs):
    if len(ours) != len(theirs):
        return "length", False
    pairs = list(map(difference, ours, theirs))
    wrong = [text for text, agrees in pairs if not agrees]
    # The one difference to show for several: a bound before zero before nothing.
    texts = sorted((text.startswith("<"), text == "0", text) for text, _ in pairs)
    return (wrong[0], False) if wrong else (texts[-1][-1] if texts else "", True)


def _number_difference(ours, theirs, dtype):
    if dtype not in agreement.ROUNDING:  # integers, bools and complex numbers must be equal
        agrees = ours == theirs
        try:
            difference = f"{agreement.largest_difference(ours, theirs):.2g}"
        except (ValueError, TypeError):
            difference = "value"
        return ("0" if agrees else difference), agrees
    first, second = [[float(value) for value in values] for values in (ours, theirs)]
    agrees, difference = agreement.compare(first, second, agreement.ROUNDING[dtype])
    return difference, agrees


def written(result: Record | None, shows_dtype: bool = False) -> str:
    """A record as a learner reads it."""
    if result is None:
        return "no such result"
    kind = result["kind"]
    if kind in ("tensor", "array"):
        return _written_tensor(result, shows_dtype)
    if kind in ("list", "tuple", "dict"):
        items = [written(item, shows_dtype) for item in result["values"]]
        if kind == "dict":
            items = [f"{name}: {item}" for name, item in zip(result["names"], items)]
        opening, closing = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}[kind]
        single = "," if kind == "tuple" and len(items) == 1 else ""
        return f"{opening}{', '.join(items)}{single}{closing}"
    if kind in ("error", "warning"):
        return f"{result['type']}: {result['value']}"
    if kind == "float":
        return nested(float(result["value"]))
    return str(result["value"])


def _written_tensor(result, shows_dtype):
    sizes, dtype, values = result["shape"], result["dtype"], result["values"]
    if not 0 < len(values) <= MAX_WRITTEN:
        first = [*map(_number, values[:12]), *(["\u2026"] if values else [])]
        text = f"[{', '.join(first)}] of shape {shape(sizes)}"
    else:
        text = nested(np.array(values, dtype=object).reshape(sizes).tolist(), _number)
    if shows_dtype or dtype not in ("float32", "bool"):
        text += f" {dtype}"
    return text + (" (NumPy)" if result["kind"] == "array" else "")


def _number(value):
    plain = isinstance(value, (bool, int)) or isinstance(value, str) and "j" in value
    return str(value) if plain else nested(float(value))
