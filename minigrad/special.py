"""Special functions under the names of `torch.special`.

Mirrors https://docs.pytorch.org/docs/2.13/special.html
"""

from .namespace import absent
from .ops.registry import FUNCTIONS as _FUNCTIONS

for _name, _public in {
    "expit": "sigmoid", "expm1": "expm1", "exp2": "exp2", "log1p": "log1p", "erf": "erf",
    "erfc": "erfc", "erfinv": "erfinv", "logit": "logit", "xlogy": "xlogy", "sinc": "sinc",
    "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax",
    "gammaln": "lgamma", "digamma": "digamma", "psi": "digamma", "polygamma": "polygamma",
    "round": "round",
}.items():  # fmt: skip
    if _public in _FUNCTIONS:
        globals()[_name] = _FUNCTIONS[_public]

__getattr__ = absent(__name__)
