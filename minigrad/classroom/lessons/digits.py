"""Handwritten digits to train on, from `digits.txt`, where source and licence stand.

train, test = digits()
train.pixels        a float32 array of shape (1297, 64): 8 x 8 pixels in a row, 0 paper to 1 ink
train.names         an array of 1297 whole numbers, 0 to 9
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

INK = "0123456789abcdefg"  # 0 to 16
TRAINING = 1297  # the first ones; the last 500 are to test on


class Digits(NamedTuple):
    pixels: np.ndarray
    names: np.ndarray


@cache
def digits() -> tuple[Digits, Digits]:
    """(training digits, test digits), in the order of the file: always the same, and read-only."""
    text = Path(__file__).with_name("digits.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    names = np.array([int(name) for name, _ in lines])
    pixels = np.array([[INK.index(pixel) for pixel in row] for _, row in lines], np.float32) / 16
    pixels.flags.writeable = names.flags.writeable = False
    return (
        Digits(pixels[:TRAINING], names[:TRAINING]),
        Digits(pixels[TRAINING:], names[TRAINING:]),
    )
