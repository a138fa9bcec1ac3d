"""The cell under diagnosis, which goes on with what earlier cells of a notebook made."""

import inspect
import types
from typing import Any

from ..compare import cells
from .where import cell_files

_NAMES = "_diagnosed"  # under which a notebook keeps the names of its diagnosed cells


class Cell(cells.Cell):
    """A cell that runs on minigrad alone, among the names of all cells that did so before.

    As in any notebook these are one dictionary, which the functions of all these cells share.
    Each cell has a file of its own, by which its lines are told from theirs.
    """

    goes_on = True

    def __init__(
        self, source: str, names: Any = (), notebook: Any = None, first_line: int = 1
    ) -> None:
        self.file = f"<cell {len(cell_files) + 1}>"
        cell_files.add(self.file)
        self._notebook = {} if notebook is None else notebook
        super().__init__(source, names, self._notebook, first_line)

    def names_before(self) -> dict[str, Any]:
        """What diagnosed cells have made, and what the notebook has made of it since."""
        space = self._notebook.setdefault(_NAMES, {})
        for name in space.keys() & self._notebook.keys():
            if self.may_be_shared(self._notebook[name]):
                space[name] = self._notebook[name]
        return space

    def may_be_shared(self, value: Any) -> bool:
        return not is_of_torch(value)

    def refusal(self, name: str) -> str:
        return (
            f"{name} was made in another cell by PyTorch itself, and %%diagnose runs this one on "
            f"minigrad: make {name} here, or put %%diagnose above the cell that makes it. What has "
            "nothing to do with PyTorch, and what a diagnosed cell made, can be used."
        )

    def taken_over(self, value: Any) -> Any:
        return value

    def code_taken(self) -> list[types.CodeType]:
        """The code of the functions and methods that other cells have made."""
        found = list(self.given.values())
        found += [one for kind in found if isinstance(kind, type) for one in vars(kind).values()]
        return [one.__code__ for one in map(unwrapped, found) if inspect.isfunction(one)]


def unwrapped(value: Any) -> Any:
    """A function without its decorators; anything else as it is."""
    return inspect.unwrap(value) if inspect.isfunction(value) else value


def is_of_torch(value: Any) -> bool:
    """Whether something is PyTorch's own, was made by it, or holds or names such things."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)):
        return any(map(is_of_torch, value))
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    methods = vars(kinds[0]).values() if kinds[0].__module__ == "__main__" else ()
    functions = filter(inspect.isfunction, map(unwrapped, (value, *methods)))
    used = [one.__globals__.get(name) for one in functions for name in one.__code__.co_names]
    origins = [one.__module__ for one in (*kinds, *used) if isinstance(one, type)]
    origins += [one.__name__ for one in (value, *used) if isinstance(one, types.ModuleType)]
    return any(name.partition(".")[0] == "torch" for name in origins)
