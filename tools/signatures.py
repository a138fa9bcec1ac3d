"""Write minigrad/ops/signatures.txt: what PyTorch's functions and methods take, as PyTorch declares it.

    python -m tools.signatures

Torch's argument parsers are made from such lines, which stand in its library; in what order those of
one function are tried is seen from what it says when none fits.
"""
import operator
import re
import types
from collections import defaultdict
from pathlib import Path

import torch

import minigrad
from minigrad.ops import load_all
from minigrad.ops.signatures import TABLE, Signature, of_method

LIBRARY = Path(torch.__file__).parent / "lib" / "libtorch_python.so"

KINDS = {  # what the library calls a type -> what PyTorch's messages call it
    "Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float", "TensorList": "tuple of Tensors",
    "IntArrayRef": "tuple of ints", "SymIntArrayRef": "tuple of ints", "ArrayRef<double>": "tuple of floats",
    "ScalarType": "torch.dtype", "Layout": "torch.layout", "Device": "torch.device", "Generator": "torch.Generator",
    "MemoryFormat": "torch.memory_format", "c10::string_view": "str", "std::string": "str", "PyObject*": "object",
    "Storage": "torch.Storage", "ScalarList": "tuple of Scalars",
    "c10::List<::std::optional<Tensor>>": "tuple of Tensors",
}  # fmt: skip


def declared():
    """Name -> the lines of all functions and methods of that name, as the library holds them."""
    lines = defaultdict(list)
    for found in re.findall(rb"\0(\w{2,}\([^\0\n]*\)(?:\|deprecated)?)(?=\0)", LIBRARY.read_bytes()):
        line = found.decode()
        name, _, parameters = line.partition("(")
        if re.fullmatch(r"[A-Za-z*][^()]*|", parameters.rpartition(")")[0]):
            lines[name].append(translated(line))
    return {name: list(dict.fromkeys(found)) for name, found in lines.items()}


def translated(line):
    """A line with the types as messages name them: `Tensor? out=None`, `tuple of ints[1] dim`."""
    def parameter(match):
        kind, size, none = match.groups("")
        return f"{KINDS.get(kind, kind)}{size}{none} "

    return re.sub(r"(?<=[( ])([A-Z]?[\w:<>*]+?)(\[\d\])?(\?)? (?=\w+[,=)])", parameter, line)


def said(call):
    """The signatures that a call names when nothing fits, in order."""
    try:
        call(*[object()] * 40)
    except TypeError as error:
        return re.findall(r"^ \* \((.*)\)$", str(error), flags=re.MULTILINE)
    except Exception:
        pass
    return []


def signatures(name, call, lines, takes_input):
    """The lines that belong to `call`, in the order in which they are tried."""
    shown = said(call)
    if not shown:  # it has one, or one besides those that are out of date
        own = [line for line in lines if takes_input == ("Tensor input" in line)]
        own = own or (lines if takes_input else [])
        return own if len([line for line in own if "|" not in line]) == 1 else []
    fitting = {Signature(line).text: line for line in lines if "|" not in line}
    if not all(f"({text})" in fitting for text in shown):
        print("not understood:", name, shown, list(fitting))
        return []
    found = [fitting[f"({text})"] for text in shown]
    return found + [line for line in lines if "|" in line and takes_input == ("Tensor input" in line)]


def table():
    """All lines: of functions, and of methods (with a dot before them) where they take something else."""
    load_all()
    lines, known = [], declared()
    for name in sorted({*minigrad.ops.FUNCTIONS, *vars(minigrad.Tensor)}):
        function, method = getattr(torch, name, None), getattr(torch.Tensor, name, None)
        of_function = []
        if isinstance(function, types.BuiltinFunctionType) and name in minigrad.ops.FUNCTIONS:
            of_function = signatures(name, function, known.get(name, []), True)
            lines += of_function
        if isinstance(method, types.MethodDescriptorType) and hasattr(minigrad.Tensor, name):
            tensor = torch.ones(2)
            takes = signatures(name, getattr(tensor, name), known.get(name, []), False)
            if takes != [of_method(line) for line in of_function]:
                lines += [f".{line}" for line in takes]
    for space in ("linalg", "special", "nn.functional"):
        of_torch, ours = operator.attrgetter(space)(torch), operator.attrgetter(space)(minigrad)
        for name in dir(ours):
            function = getattr(of_torch, name, None)
            if isinstance(function, types.BuiltinFunctionType):
                name = function.__name__
                lines += signatures(name, function, known.get(name, []), True)
    return "\n".join(dict.fromkeys(lines)) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
