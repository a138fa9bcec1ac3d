"""A chain in one engine: run as a whole, and cut in two halves, rightly and with each mistake."""

import numpy as np

from ...compare import engines
from ..shared.functions import check_untouched, one_tensor
from ..shared.point import jacobian_of, values_of

MISTAKES = ("none", "forget", "twice")  # g is handed over, ones in its place, g twice


def forward(torch, links, x):
    """Every value of a chain, from x as a leaf on."""
    values = [torch.tensor(x.tolist(), dtype=torch.float32, requires_grad=True)]
    for link in links:
        values.append(one_tensor(link.function(torch, values[-1]), link.name))
    check_untouched(values[0])
    return values


def halves(torch, example, x, v, cut):
    """Cut a chain, in one engine: right half, then left half, given g or with a mistake another.

    handed: what crosses the cut, and x.grad: what comes of it, both in the order of MISTAKES;
    uncut: x.grad of the whole chain, whose beginning is the left half.
    """

    def weights():  # new ones for each call: PyTorch may keep the tensor it is given as a .grad
        return torch.tensor(v.tolist(), dtype=torch.float32)

    values = forward(torch, example.links, x)
    start, y, whole = values[0], values[cut], values[-1]
    whole.backward(weights(), retain_graph=True, inputs=[start])
    uncut = start.grad
    right = forward(torch, example.links[cut:], values_of(y))
    seam, z = right[0], right[-1]
    z.backward(weights(), retain_graph=True, inputs=[seam])
    g = seam.grad.clone()
    z.backward(weights(), inputs=[seam])  # once more: .grad adds up
    handed, grads = [g, torch.ones_like(g), seam.grad], []
    for given in handed:
        start.grad = None
        y.backward(gradient=given, retain_graph=True, inputs=[start])
        grads.append(start.grad)
    return {"handed": torch.stack(handed), "x.grad": torch.stack(grads), "uncut": uncut}


def jacobian(links, x, name):
    """\u2202last/\u2202first of a half, [output, input], one backward call for each output.

    name: what x is called, should nothing arrive there.
    """
    if not links:  # nothing on this side
        return np.eye(x.size)
    values = forward(engines.minigrad, links, x)
    return jacobian_of(values[0], values[-1], name)
