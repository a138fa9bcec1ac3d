"""PyTorch's side of the stepper: the gradients of a program's leaves, live or recorded."""

import numpy as np

from .. import agreement, recorded
from ..formatting import indices
from .program_graph import leaf_names, read_program, run_program
from .stepper_examples import EXAMPLES
from .torch_answer import could_not_run, failed, live, missing, stored


def live_answer(torch, program, seed, names):
    """Run a program with PyTorch and go backward with this seed. names: of the leaves there are."""
    try:
        run = run_program(torch, program)
        leaves = leaf_names(run)
        for leaf in leaves.values():
            leaf.grad = None
        run.root.backward(torch.tensor(seed.tolist(), dtype=torch.float32))
        grads = {
            name: None if leaf.grad is None else np.array(leaf.grad.tolist())
            for name, leaf in leaves.items()
        }
    except Exception as error:
        return could_not_run(error)
    if set(grads) != set(names):
        return failed("PyTorch found other leaves in this program.")
    return live(torch, grads)


def stored_answer(example, seed, leaves):
    """PyTorch's recorded leaf gradients, which are linear in the seed; of the examples alone."""
    rows, version = recorded.old_answer("stepper", example.name)
    if rows is None or EXAMPLES.get(example.name) is not example:
        return missing("for this program")
    grads = {}
    for leaf in leaves:
        total = seed.ravel() @ np.array(rows[leaf.name], dtype=float)
        grads[leaf.name] = total.reshape(leaf.value.shape)
    return stored(version, grads)


def recorded_answers(torch):
    """{example: {leaf: [its .grad for each one-hot upstream gradient, flat]}}, by torch."""
    answers = {}
    for name, example in EXAMPLES.items():
        program = read_program(example.function, example.inputs)
        rows = {}
        for index in indices(tuple(run_program(torch, program).root.shape)):
            run = run_program(torch, program)
            one_hot = torch.zeros_like(run.root)
            one_hot[index] = 1.0
            run.root.backward(one_hot)
            for leaf, tensor in leaf_names(run).items():
                rows.setdefault(leaf, []).append(tensor.grad.reshape(-1).tolist())
        answers[name] = rows
    return answers


def compared(grads, answer):
    """{leaf: (agrees, text)}: final gradients beside PyTorch's."""
    found = {}
    for name, ours in grads.items():
        theirs = answer.found.get(name)
        if ours is None or theirs is None:
            found[name] = (ours is None and theirs is None, "nothing arrived")
            continue
        agreed = agreement.agree(ours, theirs)
        difference = agreement.difference_text(ours, theirs, agreed)
        found[name] = (agreed, f"largest difference {difference}")
    return found
