"""One engine's side of the ledger: the tensors of an example, and the calls done to them."""

from contextlib import nullcontext

from minigrad.autograd import watch

from .. import engines
from ..formatting import kind_of
from ..heard import hear_warnings
from ..typed_numbers import Refused, read_array
from .ledger_examples import Example
from .source import advice, arguments_of, formula_of, printing_once

MAX_ELEMENTS = 12  # of a leaf, so that a row of the ledger can be read


class Session:
    """The tensors of an example in one engine, and the calls done to them one after another."""

    def __init__(self, torch, example, lr):
        self.torch, self.example, self.lr = torch, example, lr
        self.outputs, self.objects = {}, {}
        self.heard = _Heard()
        self.leaves = (
            {}
            if example.leaves is None
            else {
                name: torch.tensor(value, dtype=torch.float32, requires_grad=True)
                for name, value in example.leaves.items()
            }
        )

    def run(self, call):
        """Do one call; returns what is to be seen afterwards, as plain values."""
        self.heard = _Heard()
        error = None
        watching = watch(self.heard) if self.torch is engines.minigrad else nullcontext()
        with hear_warnings() as warned, watching:
            try:
                getattr(self, "_" + call.what)(call)
            except Exception as raised:
                kind = "" if isinstance(raised, Refused) else type(raised).__name__
                error = [kind, str(raised) + advice(raised)]
        return {
            "error": error,
            "warnings": warned,
            "leaves": {name: leaf.detach().tolist() for name, leaf in self.leaves.items()},
            "grads": {
                name: leaf.grad if leaf.grad is None else leaf.grad.detach().tolist()
                for name, leaf in self.leaves.items()
            },
            "objects": self._look_at_objects(),
            "outputs": {name: out.detach().tolist() for name, out in self.outputs.items()},
        }

    def name_of(self, tensor):
        """The name of a leaf or result, or None."""
        for name, known in (*self.leaves.items(), *self.outputs.items()):
            if known is tensor:
                return name
        return None

    def _look_at_objects(self):
        """For each leaf what became of the object that its .grad was."""
        told, objects = {}, {}
        for name, leaf in self.leaves.items():
            before, now = self.objects.get(name), leaf.grad
            objects[name] = now
            told[name] = (
                "None"
                if now is None
                else "new"
                if before is None
                else "same"
                if before is now
                else "another"
            )
        self.objects = objects
        return told

    def _forward(self, call):
        if self.example.leaves is None:
            leaves, outputs = _sorted_out(self.example.function(self.torch))
            self.leaves, self.objects = leaves, {}
        else:
            outputs = _named(self.example.function(self.torch, **self.leaves), self.example.root)
        self.outputs = outputs

    def _backward(self, call):
        if call.root not in self.outputs:
            raise Refused(f"There is no {call.root}: forward has not worked yet.")
        arguments = {"retain_graph": True} if call.retain else {}
        if call.v is not None:
            arguments["gradient"] = self.torch.tensor(call.v, dtype=self.torch.float32)
        self.outputs[call.root].backward(**arguments)

    def _zero_(self, call):
        for leaf in self._chosen(call):
            leaf.grad.zero_()

    def _none(self, call):
        for leaf in self._chosen(call):
            leaf.grad = None

    def _step(self, call):
        with self.torch.no_grad():
            for leaf in self.leaves.values():
                if leaf.grad is not None:
                    leaf -= self.lr * leaf.grad

    def _chosen(self, call):
        return [self.leaves[call.leaf]] if call.leaf else list(self.leaves.values())


class _Heard:
    """Listens to a pass: which nodes ran, and what leaves were given."""

    def __init__(self):
        self.order, self.added = [], {}

    def ran(self, node, g, grads):
        self.order.append(node)

    def accumulated(self, leaf, g):
        self.added[id(leaf)] = g.tolist()


def _sorted_out(results):
    """(leaves that require grad, all other results) of what a whole program returned."""
    results = _named(results, "output")
    leaves = {name: t for name, t in results.items() if t.is_leaf and t.requires_grad}
    outputs = {name: t for name, t in results.items() if name not in leaves}
    _check_sizes({name: leaf.numel() for name, leaf in leaves.items()})
    if not leaves:
        raise Refused(
            "The program returned no leaf that requires grad. End it with a dict of its "
            'leaves and results: return {"x": x, "y": y}.'
        )
    return leaves, outputs or results


def _named(results, name):
    """{name: tensor} of what a function returned."""
    results = results if isinstance(results, dict) else {name: results}
    for key, tensor in results.items():
        if not hasattr(tensor, "backward"):
            raise Refused(
                f"The function returned {kind_of(tensor)} as {key}; it must return a tensor, or a "
                'dict of tensors: return {"y": y}.'
            )
    return {str(key): tensor for key, tensor in results.items()}


def _check_sizes(sizes):
    for name, size in sizes.items():
        if not 1 <= size <= MAX_ELEMENTS:
            raise Refused(
                f"{name} has {size} elements; the ledger shows leaves of 1 to {MAX_ELEMENTS}."
            )


def own_example(function, inputs, leaves):
    """A learner's own function as an example."""
    arguments = arguments_of(function)
    names, required = list(arguments.names), arguments.required
    called = printing_once(function)
    if arguments.more:
        names += [f"{arguments.more}[{k}]" for k in range(len(inputs) - len(names))]
    if not inputs and not leaves:
        if len(required) > 1:
            raise TypeError(
                f"GradLedger(f, ...) needs numbers for the leaves {', '.join(required)}: "
                f"GradLedger(f, {', '.join(f'{name}=2' for name in required)})."
            )
        run = called if names else (lambda torch: called())
        return Example("your program", formula_of(function, "torch"), run, None)
    takes_torch = names[:1] == ["torch"] or len(required) == len(inputs) + len(leaves) + 1
    names = names[takes_torch:]
    values = dict(zip(names, inputs)) | leaves
    missing = [name for name in required[takes_torch:] if name not in values]
    unknown = [name for name in leaves if name not in names]
    if missing or unknown or len(inputs) > len(names):
        raise TypeError(
            f"The function's leaves are {', '.join(names) or 'none'}; numbers were given for "
            f"{', '.join([*leaves, *map(str, inputs)])}."
        )
    values = {name: read_array(value) for name, value in values.items()}
    _check_sizes({name: value.size for name, value in values.items()})

    def run(torch, **tensors):
        arguments = [torch] if takes_torch else []
        return called(*arguments, *[tensors[name] for name in names if name in tensors])

    formula = formula_of(function, ", ".join(values))
    return Example(
        "your function",
        f"y = {formula}",
        run,
        {name: value.tolist() for name, value in values.items()},
    )
