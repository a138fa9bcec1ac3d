"""Devices: the CPU is the only one, and programs that ask are told so.

Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.device
"""

from ..dtypes import Named


class device(metaclass=Named):
    """A device, which is always the CPU. Raises RuntimeError for any other.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.device
    """

    _place = "torch."
    type, index = "cpu", None

    def __init__(self, type="cpu"):
        if str(type) != "cpu":
            raise RuntimeError(f"minigrad computes on the CPU only, not on '{type}'.")

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)


class cuda:
    """For programs that ask whether they can use a GPU: they cannot.

    Mirrors https://docs.pytorch.org/docs/2.13/cuda.html
    """

    @staticmethod
    def is_available():
        """False: there is no GPU here."""
        return False
