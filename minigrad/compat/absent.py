"""Names that students often use on a tensor and that are not here: the error says so.

Any other missing name gets Python's own error, with its "Did you mean". (A `Tensor.__getattr__`
would catch all names, but it would make every access to every attribute slower.)
"""

from ..tensor import Tensor, absent

NAMES = """
addmm amax amin argsort baddbmm bernoulli_ bincount bmm chunk count_nonzero cross cuda det diag
diagonal diff element_size erfinv expm1 flip fmod index_add_ index_select inner inverse isclose
is_cuda kron lerp log2 logical_and logical_not logical_or masked_fill_ masked_select median
nan_to_num nonzero normal_ quantile ravel repeat repeat_interleave roll scatter scatter_
scatter_add_ select short sort split squeeze_ storage svd swapaxes tile topk trace tril triu trunc
type_as uniform_ unique unsqueeze_ where atan bfloat16 broadcast_to ceil clip cosh divide exp2
floor_divide index_put_ movedim multiply nansum narrow nbytes new_ones new_tensor new_zeros random_
reshape_as resize_ rsqrt sinh take tan unflatten
"""


class Absent:
    """An attribute whose error says that PyTorch may have it."""

    def __init__(self, name):
        self.name = name

    def __get__(self, tensor, kind):
        raise AttributeError(absent(f"Tensor has no attribute '{self.name}'"))


def names_of(tensor):
    """`dir(tensor)`, without these names."""
    gone = {name for name, value in vars(Tensor).items() if isinstance(value, Absent)}
    return [name for name in object.__dir__(tensor) if name not in gone]


for _name in NAMES.split():
    if not hasattr(Tensor, _name):  # you may have added it
        setattr(Tensor, _name, Absent(_name))
Tensor.__dir__ = names_of
