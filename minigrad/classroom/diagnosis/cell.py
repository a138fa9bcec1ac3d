"""The cell under diagnosis, which goes on with what earlier cells of a notebook made."""

import inspect
import types
from typing import Any

from ..compare import cells


class Cell(cells.Cell):
    """A cell that runs on minigrad alone, so it can go on with an earlier cell's tensors."""

    goes_on = True

    def may_be_shared(self, value: Any) -> bool:
        return not is_of_torch(value)

    def refusal(self, name: str) -> str:
        return (
            f"{name} was made in another cell by PyTorch itself, and %%diagnose runs this one on "
            f"minigrad: make {name} here, or put %%diagnose above the cell that makes it. What has "
            "nothing to do with PyTorch, and what a diagnosed cell made, can be used."
        )

    def taken_over(self, value: Any) -> Any:
        """Numbers, text and arrays are copied. The rest is used as it is, as in any notebook."""
        return super().taken_over(value) if cells.is_data(value) else value

    def code_taken(self) -> list[types.CodeType]:
        """The code of the functions and methods that other cells have made."""
        found = list(self.given.values())
        found += [one for kind in found if isinstance(kind, type) for one in vars(kind).values()]
        return [one.__code__ for one in map(inspect.unwrap, found) if inspect.isfunction(one)]


def is_of_torch(value: Any) -> bool:
    """Whether something is PyTorch's own, was made by it, or holds or names such things."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)):
        return any(map(is_of_torch, value))
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    methods = vars(kinds[0]).values() if kinds[0].__module__ == "__main__" else ()
    functions = filter(inspect.isfunction, map(inspect.unwrap, (value, *methods)))
    used = [one.__globals__.get(name) for one in functions for name in one.__code__.co_names]
    origins = [one.__module__ for one in (*kinds, *used) if isinstance(one, type)]
    origins += [one.__name__ for one in (value, *used) if isinstance(one, types.ModuleType)]
    return any(name.partition(".")[0] == "torch" for name in origins)
