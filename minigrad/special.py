"""Special functions under the names of `torch.special`.

Mirrors https://docs.pytorch.org/docs/2.13/special.html
"""

from .namespace import absent, listed, mirror
from .ops import public_function as _public_function
from .ops.registry import as_function as _as_function
from .ops.special import SPECIAL as _SPECIAL

for _name, _public in {
    "expit": "sigmoid", "expm1": "expm1", "exp2": "exp2", "log1p": "log1p", "erf": "erf",
    "erfc": "erfc", "erfinv": "erfinv", "logit": "logit", "xlogy": "xlogy", "sinc": "sinc",
    "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax",
    "gammaln": "lgamma", "digamma": "digamma", "psi": "digamma", "polygamma": "polygamma",
    "round": "round",
}.items():  # fmt: skip
    globals()[_name] = _public_function(_public)
for _name, _call in {**globals(), **_SPECIAL}.items():
    if _name[0] != "_" and _name not in ("absent", "listed", "mirror"):
        globals()[_name] = _as_function(_call, f"special_{_name}")

mirror(globals(), "special.html#torch.special.{}", home="minigrad")
__getattr__, __dir__ = absent(__name__), listed(globals(), home="minigrad")
