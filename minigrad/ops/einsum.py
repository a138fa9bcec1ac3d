"""Sums of products, written with letters."""

import numpy as np

from ..operation import Operation
from .matrices import same_dtype
from .registry import function


class Einsum(Operation):
    """The product of two operands; `a`, `b` and `c`, its own, have a letter for each dimension.

    Each letter is once in each of the three at most, and in two of them at least.
    """

    def forward(x, y, a, b, c):
        return np.asarray(np.einsum(f"{a},{b}->{c}", x, y, optimize=True), order="C")

    def grad_x(g, _x, y, a, b, c):
        return Einsum.apply(g, y, c, b, a)

    def grad_y(g, x, _y, a, b, c):
        return Einsum.apply(g, x, c, a, b)


@function
def einsum(equation, *operands):
    """Products of tensors, summed over the letters that the result leaves out: "ij,jk->ik".

    A letter for each dimension. RuntimeError where letters or lengths do not fit.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms, letters = left.split(","), left.replace(",", "")
    if not arrow:
        result = "".join(sorted([s for s in letters if letters.count(s) == 1]))
    known = set(result) <= set(letters) and letters.isalpha()
    once = all([len(set(term)) == len(term) for term in (*terms, result)])
    if not known or not once or [len(term) for term in terms] != [x.ndim for x in operands]:
        raise RuntimeError(f"einsum(): '{equation}' does not fit these operands' dimensions")
    lengths = {}
    for x, term in zip(operands, terms):
        for letter, n in zip(term, x._array.shape):
            if lengths.setdefault(letter, n) != n:
                raise RuntimeError(f"einsum(): {letter} is {lengths[letter]} and also {n}")
    product, have = operands[0], terms[0]
    for i in range(1, len(terms)):
        later = "".join(terms[i + 1 :]) + result
        product, have = _summed(product, have, terms[i] + later)
        x, term = _summed(operands[i], terms[i], have + later)
        same_dtype(product, x)
        out = "".join([s for s in dict.fromkeys(have + term) if s in later])
        product, have = Einsum.apply(product, x, have, term, out), out
    product, have = _summed(product, have, result)
    return product.permute([have.index(letter) for letter in result])


def _summed(x, term, wanted):
    """An operand summed over the letters that nobody else wants, and the letters that are left."""
    alone = tuple([d for d, letter in enumerate(term) if letter not in wanted])
    return x.sum(alone) if alone else x, "".join([s for s in term if s in wanted])
