"""Old and new text beside each other, line by line, and within a line what changed."""

import difflib
import re
from itertools import groupby, zip_longest

_WORD = re.compile(r"\w+|\W")
_SIZE_LINE = re.compile(r"\[torch\.FloatTensor of size [\dx]+\]|grad_fn=<\w+>")
_NUMBER = re.compile(r"\bNone\b|\binf\b|\bnan\b|-?\d+\.?\d*(?:e[+-]?\d+)?")


def side_by_side(then, now):
    """[(old line or None, new line or None)]: those with the same numbers beside each other."""
    before, after = then.splitlines(), now.splitlines()
    matcher = difflib.SequenceMatcher(
        None, *([_key(line) for line in lines] for lines in (before, after)), autojunk=False
    )
    pairs = []
    for _, a, b, c, d in matcher.get_opcodes():
        pairs += zip_longest(before[a:b], after[c:d])
    return pairs


def changes(before, after):
    """Two lines as pieces: ([(text, whether it is gone)], [(text, whether it is new)])."""
    words = _WORD.findall(before), _WORD.findall(after)
    blocks = difflib.SequenceMatcher(None, *words, autojunk=False).get_matching_blocks()
    old, new, a, b = [], [], 0, 0
    for start, other, size in blocks:
        for pieces, side, place, end in ((old, words[0], a, start), (new, words[1], b, other)):
            pieces.append(("".join(side[place:end]), True))
            pieces.append(("".join(side[end : end + size]), False))
        a, b = start + size, other + size
    return _joined(old), _joined(new)


def same_numbers(then, now):
    """Whether all numbers of an old output stand in a new one, to the digits printed then."""
    old, new = (numbers_in(text) for text in (then, now))
    return len(old) == len(new) and all(map(_same_number, old, new))


def numbers_in(text):
    """The numbers of an output, as text; sizes and names of nodes are none."""
    return _NUMBER.findall(_SIZE_LINE.sub("", text))


def _key(line):
    """What makes two lines of output the same: their numbers, or else their text."""
    found = numbers_in(line)
    return tuple(one if one == "None" else float(one) for one in found) or line


def _same_number(old, new):
    if old == new or "None" in (old, new):
        return old == new
    digits = len(old.partition(".")[2])
    return abs(float(old) - float(new)) <= 0.501 * 10.0**-digits


def _joined(pieces):
    """Neighbours of one kind as one piece; a sign between two changes is part of them."""
    pieces = [piece for piece in pieces if piece[0]]
    for k in range(1, len(pieces) - 1):
        if pieces[k - 1][1] and pieces[k + 1][1] and not re.search(r"\w", pieces[k][0]):
            pieces[k] = (pieces[k][0], True)
    return [
        ("".join(text for text, _ in run), changed)
        for changed, run in groupby(pieces, lambda piece: piece[1])
    ]
