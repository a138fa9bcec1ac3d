"""Sequences of different lengths as one tensor.

Packed sequences are not there: a recurrent layer sees the padding, which a mask leaves out of the loss.
Mirrors https://docs.pytorch.org/docs/2.13/nn.html#utility-functions-in-other-modules
"""

from collections.abc import Iterable

from ...namespace import absent, listed, mirror
from ...ops import FUNCTIONS
from ...tensor import Tensor


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences (L, *) side by side, the shorter ones padded: (longest, N, *), or (N, longest, *).

    RuntimeError for an empty list, or a side other than "left" and "right".
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    sequences = sequences.unbind(0) if isinstance(sequences, Tensor) else list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    first, longest = sequences[0], max(s.size(0) for s in sequences)
    lead = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out = FUNCTIONS["full"]((*lead, *first.shape[1:]), padding_value, dtype=first.dtype)
    for i, sequence in enumerate(sequences):
        length = sequence.size(0)
        part = slice(longest - length, None) if padding_side == "left" else slice(length)
        out[(i, part) if batch_first else (part, i)].copy_(sequence)
    return out


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences (L, *) that `pad_sequence` put side by side, a list."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(padded_sequences, lengths)]


mirror(globals(), "generated/torch.nn.utils.rnn.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
