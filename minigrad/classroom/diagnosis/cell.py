"""The cell under diagnosis, which goes on with what earlier diagnosed cells of a notebook made."""

import types
from typing import Any

import minigrad

from ..compare import cells


class Cell(cells.Cell):
    """A cell that runs on minigrad alone, so it can go on with an earlier cell's tensors."""

    def may_be_shared(self, value: Any) -> bool:
        return super().may_be_shared(value) or is_of_minigrad(value)

    def refusal(self, name: str) -> str:
        return (
            f"{name} was made in another cell by PyTorch itself, and %%diagnose runs this one on "
            f"minigrad: make {name} here, or put %%diagnose above the cell that makes it. Numbers, "
            "text, NumPy and what a diagnosed cell made can be used."
        )

    def taken_over(self, value: Any) -> Any:
        """What minigrad made is trained on, as in any notebook; the rest is copied."""
        return value if is_of_minigrad(value) else super().taken_over(value)


def is_of_minigrad(value: Any) -> bool:
    """Whether something was made by minigrad, or by a cell that ran on it; or holds such things."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        known = [is_of_minigrad(one) for one in value]
        return any(known) and all(a or cells._may_be_shared(b) for a, b in zip(known, value))
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] == "minigrad"
    if isinstance(value, types.FunctionType):
        engine = value.__globals__.get("torch", minigrad)
        return value.__code__.co_filename == cells.FILE and engine is minigrad
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    own = [one for one in vars(kinds[0]).values() if isinstance(one, types.FunctionType)]
    is_made_of_it = any(kind.__module__.partition(".")[0] == "minigrad" for kind in kinds)
    return is_made_of_it or any(map(is_of_minigrad, own))
