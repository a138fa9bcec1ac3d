"""Sums of products, written with letters: `einsum`.

Every operand gets one dimension for each letter (of length 1 where it has none), those of the
result first; operands are then multiplied one after the other by batched matrix products.
"""

import math

from ..tensor import Tensor
from .arguments import same_type
from .linalg import bmm
from .registry import function, wrong_type

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@function
def einsum(*args):
    """Products of tensors summed over the letters that the result leaves out: `"ij,jk->ik"`.

    A letter for each dimension, `...` for those that broadcast. Without `->` the result has the letters
    that occur once, in alphabetical order. RuntimeError if letters and dimensions do not fit, lengths
    of one letter differ, or dtypes do; TypeError for what is no tensor, ValueError without operands.
    """
    if not args or not isinstance(args[0], (str, Tensor)):
        raise wrong_type("einsum", "equation", 1, args[0] if args else None, "str")
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    equation, operands = _written_out(args)
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 1, but got {type(operand).__name__}"
            )
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(operands) < len(terms):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(operands) > len(terms):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    terms = [
        _letters(term, operand.ndim, i) for i, (term, operand) in enumerate(zip(terms, operands))
    ]
    dots = max((sum(isinstance(s, int) for s in term) for term in terms), default=0)
    terms = [_from_the_right(term, dots) for term in terms]
    result = _result(right, terms, dots) if arrow else _implicit(terms, dots)
    used = {s for term in terms for s in term}
    summed = sorted(used - set(result), key=str)
    if len({operand._array.dtype for operand in operands}) > 1:
        _check_types(operands, terms, summed)
        operands = same_type(*operands)
    return _contracted(operands, terms, [*result, *summed], len(result))


def _check_types(operands, terms, summed):
    """A sum over letters that two operands share is a matrix product, which promotes no types."""
    for letter in summed:
        sharing = [x for x, term in zip(operands, terms)
                   if letter in term and x._array.shape[term.index(letter)] != 1]  # fmt: skip
        for x in sharing[1:]:
            if x._array.dtype != sharing[0]._array.dtype:
                raise RuntimeError(
                    f"expected scalar type {sharing[0].dtype.tensor_name} but found "
                    f"{x.dtype.tensor_name}"
                )


def _written_out(args):
    """The equation and the operands; also from the form einsum(x, [0, 1], y, [1, 2], [0, 2])."""
    if isinstance(args[0], str):
        operands = args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
        return args[0], list(operands)

    def letters(numbers):
        return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)

    pairs = len(args) // 2
    equation = ",".join(letters(args[2 * i + 1]) for i in range(pairs))
    if len(args) % 2:
        equation += "->" + letters(args[-1])
    return equation, [args[2 * i] for i in range(pairs)]


def _letters(term, ndim, operand):
    """The subscripts of one operand: letters, and numbers for the dimensions of an ellipsis."""
    plain = term.replace("...", "", 1)
    if "." in plain:
        raise RuntimeError(
            f"einsum(): found '.' for operand {operand} that is not part of any ellipsis"
        )
    for at, letter in enumerate(plain):
        if letter not in LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {at} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
    hidden = ndim - len(plain)
    if hidden < 0 or (hidden and "..." not in term):
        if "..." in term:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(plain)}) is more than "
                f"the number of dimensions ({ndim}) for operand {operand}"
            )
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(plain)}) does not match the "
            f"number of dimensions ({ndim}) for operand {operand} and no ellipsis was given"
        )
    before, dots, after = term.partition("...")
    return [*before, *(range(hidden) if dots else ()), *after]


def _from_the_right(term, dots):
    """An ellipsis that hides fewer dimensions than another stands for the last of them."""
    hidden = sum(isinstance(s, int) for s in term)
    return [s + dots - hidden if isinstance(s, int) else s for s in term]


def _result(right, terms, dots):
    """The subscripts of the result, as written."""
    before, ellipsis, after = right.partition("...")
    result = [*before, *(range(dots) if ellipsis else ()), *after]
    used = [s for term in terms for s in term]
    for s in result:
        if result.count(s) > 1:
            raise RuntimeError(
                f"einsum(): output subscript {s} appears more than once in the output"
            )
        if s not in used:
            raise RuntimeError(
                f"einsum(): output subscript {s} does not appear in the equation for any input "
                "operand"
            )
    return result


def _implicit(terms, dots):
    """The subscripts of a result that is not written: the ellipsis, then what occurs once."""
    used = [s for term in terms for s in term if isinstance(s, str)]
    return [*range(dots), *sorted(s for s in set(used) if used.count(s) == 1)]


def _contracted(operands, terms, order, kept):
    """The operands brought to one order of dimensions, multiplied, and summed over the rest."""
    lengths = {}
    for i, (operand, term) in enumerate(zip(operands, terms)):
        for s in set(term):
            found = {operand._array.shape[d] for d, other in enumerate(term) if other == s}
            if len(found) > 1:
                first, second = [operand._array.shape[d] for d, t in enumerate(term) if t == s][:2]
                raise RuntimeError(
                    f"einsum(): subscript {s} is repeated for operand {i} but the sizes don't "
                    f"match, {second} != {first}"
                )
            (n,) = found
            if lengths.get(s, 1) not in (1, n) and n != 1:
                raise RuntimeError(
                    f"einsum(): subscript {s} has size {n} for operand {i} which does not "
                    f"broadcast with previously seen size {lengths[s]}"
                )
            lengths[s] = n if lengths.get(s, 1) == 1 else lengths[s]
    operands = [_aligned(x, list(term), order) for x, term in zip(operands, terms)]
    summed = range(kept, len(order))
    last = {d: max(i for i, term in enumerate(terms) if order[d] in term) for d in summed}

    total = operands[0]
    early = [d for d in summed if last[d] == 0]
    if len(operands) == 1:
        return total.sum(early) if early else total
    if early:
        total = total.sum(early, keepdim=True)
    for i, operand in enumerate(operands[1:], 1):
        total = _product(total, operand, [d for d in summed if last[d] == i])
    return total.view(total._array.shape[:kept]) if summed else total


def _aligned(x, term, order):
    """An operand with one dimension for each subscript, in order; repeated ones are diagonals."""
    while len(set(term)) < len(term):
        s = next(s for s in term if term.count(s) > 1)
        first = term.index(s)
        second = term.index(s, first + 1)
        x = x.diagonal(0, first, second).movedim(-1, first)
        del term[second]
    missing = [s for s in order if s not in term]
    for _ in missing:
        x = x.unsqueeze(-1)
    term += missing
    return x.permute([term.index(s) for s in order])


def _product(x, y, summed):
    """x * y summed over some dimensions, which stay with length 1: one batched matrix product."""
    a, b = x._array.shape, y._array.shape
    for d in list(summed):  # summed in one of the two alone
        if a[d] == 1 or b[d] == 1:
            summed.remove(d)
            x, y = (x.sum(d, keepdim=True), y) if b[d] == 1 else (x, y.sum(d, keepdim=True))
    if not summed:
        return x * y
    a, b = x._array.shape, y._array.shape
    rest = [d for d in range(len(a)) if d not in summed]
    batch = [d for d in rest if a[d] != 1 and b[d] != 1]
    rows = [d for d in rest if b[d] == 1]
    columns = [d for d in rest if a[d] == 1 and b[d] != 1]

    def size(shape, dims):
        return math.prod([shape[d] for d in dims])

    left = _permuted(x, batch + rows + summed + columns)
    right = _permuted(y, batch + summed + columns + rows)
    out = bmm(
        left.reshape(size(a, batch), size(a, rows), size(a, summed)),
        right.reshape(size(b, batch), size(b, summed), size(b, columns)),
    )
    order = batch + rows + columns + summed
    shape = [a[d] for d in batch + rows] + [b[d] for d in columns] + [1] * len(summed)
    return _permuted(out.view(shape), [order.index(d) for d in range(len(a))])


def _permuted(x, order):
    """The dimensions in another order, if it is another."""
    return x if order == sorted(order) else x.permute(order)
