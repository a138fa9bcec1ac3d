"""Operations with more than one result that carries a gradient."""

import numpy as np

from ..grad_mode import mode
from ..graph import ports
from ..operation import Operation, quietly, record
from ..tensor import Tensor, current_node, made_for_inference, make


class Several(Operation):
    """An operation whose `forward` returns a tuple, and whose rules get a list of gradients.

    `_outputs` says how many results there are. A gradient is None for a result that was not used.
    """

    def __new__(cls, *args):
        arrays = [arg._array if isinstance(arg, Tensor) else arg for arg in args]
        outs = quietly(cls.forward, *arrays)
        if not any(isinstance(arg, Tensor) for arg in args):
            return outs
        results = tuple([make(np.asarray(out)) for out in outs])
        mask = 0
        for bit, position in enumerate(cls.positions):
            arg = args[position]
            if isinstance(arg, Tensor):
                current_node(arg)
                mask |= arg._requires_grad << bit
        if mode.enabled and mask:
            node = record(cls, mask, args, outs)
            for result, port in zip(results, ports(node, cls._outputs)):
                result._node, result._requires_grad = port, True
        elif mode.inference:
            for result in results:
                made_for_inference(result)
        return results
