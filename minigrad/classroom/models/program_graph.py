"""A learner's program as a graph: its nodes as the engine recorded them, with names and values.

    graph = record_program(read_program(lambda x: x * x, [[1, 2]]))
    graph.nodes                  operands before their users
    graph.pull(node, received)   what the engine's own rule of a node sends on

A program may return its result, or call `backward` itself: then it is stopped at that call, before
anything is freed, and the call tells which result and which upstream gradient are meant.
"""

import contextlib
import functools
import inspect
import itertools
import re
import sys
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from minigrad.autograd import watching

from .. import engines
from ..formatting import kind_of, nested
from ..typed_numbers import Refused, read_array
from .graph_nodes import leaf_of, nodes_below
from .local_rules import expression
from .source import arguments_of, printing_once

MAX_NODES = 30  # operations, and also leaves: more are not readable on one screen
HOW = "Write such as lambda torch: ... or lambda x: x * x, with a value for x after it."


@dataclass(frozen=True)
class Program:
    """A function to run with minigrad and with PyTorch."""

    function: Callable
    inputs: tuple = ()  # arrays, one for each tensor that it takes
    takes_torch: bool = True  # as its first argument
    names: tuple = ()  # of the inputs
    hint: str = ""  # what may have been meant, if it fails


@dataclass(frozen=True)
class Run:
    """What came of running a program in one engine."""

    root: object  # the tensor from which to go backward
    gradient: object  # the upstream gradient, if the program called backward with one
    called: bool  # whether it called backward itself
    tensors: tuple  # (name, tensor) for each variable the program could see


@dataclass(frozen=True)
class GraphNode:
    """One node: an operation, or a leaf."""

    key: int  # counts nodes, operands before their users
    name: str  # "a", "t1"
    kind: str  # the engine's name, "MulBackward0"; "leaf" for a leaf
    value: np.ndarray | None  # the result; None where nobody held it
    operands: tuple  # names of the operands in its rule, one for each target
    targets: tuple  # (key, slot) for each operand, None where no gradient is needed
    params: tuple = ()  # of the operation; a rule's formula may name each of them
    arguments: dict = field(default_factory=dict)  # {parameter: (text, value)}
    expression: str = ""  # "3 · a"
    rules: tuple = ()  # the engine's own rules, functions, where it has one for each operand
    outputs: int = 1
    custom: bool = False  # the program wrote its backward itself

    @property
    def is_leaf(self):
        return self.kind == "leaf"

    @property
    def title(self):
        """ "t1 = 3 · a"; of a leaf its name."""
        return f"{self.name} = {self.expression}" if self.expression else self.name


class ProgramGraph:
    """The recorded graph of one run: `nodes`, and `root` as (key, slot).

    keys: {what a node stands for: its key}, which is one of the engine's nodes, or a leaf tensor.
    """

    def __init__(self, run, nodes, keys, root):
        self.run = run
        self.nodes = nodes
        self.keys = keys
        self.root = root
        self._places = list(keys)

    @property
    def leaves(self):
        return [node for node in self.nodes if node.is_leaf]

    def tensor_of(self, leaf):
        """The tensor behind a leaf."""
        return self._places[leaf.key]

    def pull(self, node, received):
        """What a node sends to each target when `received` arrives (one entry for each output).

        This is the engine's own rule; nothing is differentiated here. A leaf sends nothing.
        """
        if node.is_leaf:
            return []
        torch = engines.minigrad
        with torch.no_grad(), np.errstate(all="ignore"):
            arrived = [g if g is None else torch.tensor(g) for g in received]
            sent = self._places[node.key](*arrived)
        sent = sent if isinstance(sent, tuple) else (sent,)
        return [g if g is None else np.array(g.numpy()) for g in sent]

    def refer(self, target):
        """The name of (key, slot): of several results "t1[0]"."""
        key, slot = target
        node = self.nodes[key]
        return node.name if node.outputs == 1 else f"{node.name}[{slot}]"


def read_program(function, inputs=()):
    """A learner's function and the values of its tensors as a `Program`. Raises `Refused`."""
    if not callable(function):
        raise Refused(f"A {type(function).__name__} is not a program. {HOW}")
    inputs = tuple(np.array(read_array(value), dtype=np.float32) for value in inputs)
    places = arguments_of(function)
    given, required = len(inputs), len(places.required)
    called_torch = places.names[:1] in (("torch",), ("minigrad",), ("mg",))
    takes_torch = called_torch or required == given + 1
    wanted = given + takes_torch
    if wanted < required or (wanted > len(places.names) and not places.more):
        names = ", ".join(name for name in places.required if name != "torch") or "no tensors"
        raise Refused(
            f"The function takes {names}, and {given} value{'s' * (given != 1)} came with it. "
            "Give one value for each tensor, after the function: [1, 2], [3, 4]."
        )
    names = places.names[takes_torch:wanted]
    hint = ""
    if takes_torch and not called_torch:
        first = places.names[0]
        hint = f" Its first argument, {first}, was torch: give one value for each tensor."
    return Program(printing_once(function), inputs, takes_torch, names, hint)


# --- running a program ---------------------------------------------------------------------------


class _BackwardCalled(BaseException):
    """Ends a program where it calls backward."""


def run_program(torch, program, watcher=None, on_result=None):
    """Run a program in one engine. Raises what it raises, or `Refused`.

    watcher: hears of every operation that minigrad records (`autograd.watch`); then also
    on_result(tensor) is called, for every tensor that one of its functions returns.
    """
    code = _code_of(program.function)
    stop = torch.Tensor.backward.__code__
    seen, call = {}, {}

    def profile(frame, event, result):
        if event == "return" and frame.f_code is code:
            seen.update(_variables(frame))
        elif event == "return" and on_result and isinstance(result, torch.Tensor):
            on_result(result)
        elif event == "call" and frame.f_code is stop:
            call.update(root=frame.f_locals["self"], gradient=frame.f_locals.get("gradient"))
            while frame is not None and frame.f_code is not code:
                frame = frame.f_back
            seen.update(_variables(frame) if frame is not None else {})
            raise _BackwardCalled

    tensors = [
        torch.tensor(value.tolist(), dtype=torch.float32, requires_grad=True)
        for value in program.inputs
    ]
    before, result = sys.getprofile(), None
    watched = torch.autograd.watch(watcher) if watcher else contextlib.nullcontext()
    try:
        sys.setprofile(profile)
        with watched:
            result = program.function(*[torch] * program.takes_torch, *tensors)
    except _BackwardCalled:
        pass
    finally:
        sys.setprofile(before)
    root = call.get("root", result)
    if not isinstance(root, torch.Tensor):
        raise Refused(
            f"The program returned {kind_of(root)}; it must return one tensor, or call backward on "
            "one."
        )
    variables = [*zip(program.names, tensors), *_tensors_among(seen, torch.Tensor)]
    return Run(root, call.get("gradient"), bool(call), tuple(variables))


def _code_of(function):
    """The code of a Python function behind methods, partials and wrappers; else None.

    None also for the engine's own functions: their variables are not the program's.
    """
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__code__") and not hasattr(function, "__func__"):
        function = getattr(type(function), "__call__", None)
    if re.match(r"minigrad\.(?!classroom\.)", getattr(function, "__module__", None) or ""):
        return None
    return getattr(getattr(function, "__func__", function), "__code__", None)


def _variables(frame):
    """What a function can see by name: its own variables, then the globals that it mentions."""
    names = [name for name in frame.f_code.co_names if name in frame.f_globals]
    return {**{name: frame.f_globals[name] for name in names}, **frame.f_locals}


def _tensors_among(variables, kind):
    """(name, tensor) for the tensors among variables, in lists of them, and in their modules."""
    for name, value in variables.items():
        if isinstance(value, kind):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{i}]", x) for i, x in enumerate(value) if isinstance(x, kind))
        elif isinstance(value, dict):
            yield from ((f"{name}[{k!r}]", x) for k, x in value.items() if isinstance(x, kind))
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            yield from ((f"{name}.{inner}", x) for inner, x in value.named_parameters())


# --- from the engine's nodes to ours -------------------------------------------------------------


def record_program(program):
    """Run a program with minigrad and return its `ProgramGraph`.

    Raises `Refused` for what cannot be shown, and whatever the program raises.
    """
    arguments, values = {}, {}

    def note(tensor):
        if isinstance(tensor, engines.minigrad.Tensor) and tensor.requires_grad:
            values.setdefault(_source(tensor), np.array(tensor.data.numpy()))

    class Watcher:
        def recorded(node, args, result):
            for tensor in (*args, result):
                note(tensor)
            arguments[node] = args

    run = run_program(engines.minigrad, program, Watcher, lambda t: t.is_leaf or note(t))
    if not run.root.requires_grad:
        raise Refused(
            "The program's result does not depend on a tensor with requires_grad=True. PyTorch "
            "says: element 0 of tensors does not require grad and does not have a grad_fn"
        )
    note(run.root)
    for _, tensor in run.tensors:
        note(tensor)
    start, slot = _source(run.root)
    places = _reached(run.root)
    named = {(leaf, 0): name for name, leaf in leaf_names(run).items()}
    for name, tensor in run.tensors:
        if tensor.requires_grad and name not in named.values():
            named.setdefault(_source(tensor), name)
    keys = {place: key for key, place in enumerate(places)}
    names = _names(places, named, start)
    nodes = [
        _described(place, keys, names, arguments.get(place, ()), values.get((place, 0)), run.tensors)
        for place in places
    ]
    return ProgramGraph(run, nodes, keys, (keys[start], slot))


def _source(tensor):
    """Where a tensor comes from: the node that made it, and which of its results it is.

    A leaf comes from itself.
    """
    return (tensor if tensor.is_leaf else tensor.grad_fn), tensor.output_nr


def _place(node):
    """What stands for one of the engine's nodes: itself, or the leaf to whose `.grad` it adds."""
    leaf = leaf_of(node)
    return node if leaf is None else leaf


def _operands(node):
    """Where a node's operands come from; None where no gradient is needed."""
    return [n and (_place(n), slot) for n, slot in node.next_functions]


def _reached(root):
    """The engine's nodes, and the leaf tensors, from which a tensor was computed, operands first."""
    places = [root] if root.is_leaf else [_place(node) for node in nodes_below([root.grad_fn])]
    leaves = sum(isinstance(place, engines.minigrad.Tensor) for place in places)
    operations = len(places) - leaves
    if max(operations, leaves) > MAX_NODES:
        raise Refused(
            f"This graph has {operations} operations and {leaves} {'leaf' if leaves == 1 else 'leaves'}; "
            f"up to {MAX_NODES} nodes of each kind can be followed one by one. Take a smaller part of "
            "the program."
        )
    return places


def _names(places, named, start):
    """A name for each node: the program's own where there is one, else t1, t2, ... in order."""
    taken = set(named.values())
    free = (name for name in map("t{}".format, itertools.count(1)) if name not in taken)
    names = {}
    for place in places:
        own = None if _outputs(place) > 1 else named.get((place, 0))
        last = place is start and "out" not in taken
        names[place] = own or ("out" if last else next(free))
    return names


def _outputs(place):
    return 1 if isinstance(place, engines.minigrad.Tensor) else watching.outputs(place)


def leaves_of(root):
    """The leaves below a tensor of either engine, in the order in which its graph names them."""
    if root.grad_fn is None:
        return [root]
    found, seen, stack = [], {root.grad_fn}, [root.grad_fn]
    while stack:
        node = stack.pop()
        leaf = leaf_of(node)
        if leaf is not None:
            found.append(leaf)
        for n, _ in reversed(node.next_functions):
            if n is not None and n not in seen:
                seen.add(n)
                stack.append(n)
    return found


def leaf_names(run):
    """{name: leaf tensor} of a run in either engine; the same program gives the same names."""
    names = {}
    for count, leaf in enumerate(leaves_of(run.root), 1):
        own = next((name for name, tensor in run.tensors if tensor is leaf), f"leaf{count}")
        names[own] = leaf
    return names


def _described(place, keys, names, args, value, variables):
    """One of the engine's nodes, or a leaf tensor, as a `GraphNode`."""
    key, name = keys[place], names[place]
    if isinstance(place, engines.minigrad.Tensor):
        return GraphNode(key, name, "leaf", value, (), ())
    sources, rules, outputs = _operands(place), watching.rules(place), _outputs(place)
    operands = tuple(rules) or tuple(f"x{i + 1}" for i in range(len(sources)))
    params = watching.parameters(place) or operands
    arguments = {
        param: (_constant_text(arg, variables), _plain(arg)) for param, arg in zip(params, args)
    }
    for operand, source in zip(operands, sources):
        if source is not None:
            arguments[operand] = (_reference(source, names), arguments.get(operand, (None, None))[1])
    kind = place.name().rpartition("::")[2]
    return GraphNode(
        key,
        name,
        kind,
        value if outputs == 1 else None,
        operands,
        tuple(source and (keys[source[0]], source[1]) for source in sources),
        tuple(params),
        arguments,
        expression(kind, params, operands, arguments),
        tuple(rules.values()),
        outputs,
        not rules,
    )


def _reference(source, names):
    """How an operand is called in its user's expression."""
    place, slot = source
    return names[place] if _outputs(place) == 1 else f"{names[place]}[{slot}]"


def _plain(arg):
    """An argument's numbers, as an array; other things as they are."""
    if isinstance(arg, engines.minigrad.Tensor):
        return np.array(arg.data.numpy())
    return np.array(arg) if isinstance(arg, float) else arg


def _constant_text(arg, variables):
    """A constant as it is written in an expression: its name, or its number, or its shape."""
    if isinstance(arg, engines.minigrad.Tensor):
        name = next((name for name, tensor in variables if tensor is arg), None)
        if name is not None:
            return name
        if arg.ndim == 0:
            return nested(arg.item())
        text = nested(arg.tolist())
        return text if len(text) <= 12 else f"constant{list(arg.shape)}"
    if isinstance(arg, float):
        return nested(arg)
    return re.sub(r"\s+", " ", str(arg))
