"""`torch.linalg`: the norm, under its new name.

Mirrors https://docs.pytorch.org/docs/2.13/linalg.html
"""

from .ops import reduce


def norm(A, ord=None, dim=None, keepdim=False):
    """`torch.norm` of vectors; of a matrix the Frobenius norm. NotImplementedError for others.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.norm.html
    """
    if ord is not None and A.ndim > 1 and not isinstance(dim, int):
        raise NotImplementedError("of a matrix there is the Frobenius norm only, norm(A)")
    return reduce.norm(A, ord, dim, keepdim)
