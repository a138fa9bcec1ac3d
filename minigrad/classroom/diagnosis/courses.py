"""Courses of a loss: uphill and away. And what all rules ask of the notes."""

import math
import re

from ..formatting import nested, number
from .finding import Change, Finding, all_of
from .places import rate_of, turned

_RAISED = re.compile("reward|objective|like|score|util|return|gain|log_?p|fitness|elbo|profit")
GIVEN = re.compile(
    r"^(x\w{0,4}|im(g|age)s?|inputs?|data|adv\w*|delta|perturb\w*|noise|z|canvas)$", re.I
)


def names(leaves):
    """Their names, as they are read: "w and b"."""
    told = list(dict.fromkeys(leaf.name or "a parameter" for leaf in leaves))
    if len(told) > 4:
        told = [*told[:3], f"{len(told) - 3} more"]
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def short(array):
    """Numbers as they are read; the shape of many."""
    if array.size > 6:
        return f"numbers of shape {tuple(array.shape)}"
    return nested(array.tolist(), lambda value: number(value, digits=4))


def by_line(leaves, key=lambda leaf: leaf.line):
    """{line of their last pass: leaves}, or by another key."""
    found = {}
    for leaf in leaves:
        found.setdefault(key(leaf), []).append(leaf)
    return found


def known(notes):
    """All leaves that require grad."""
    return [leaf for leaf in (*notes.leaves.values(), *notes.forgotten) if leaf.requires_grad]


def losses(notes, line):
    """What to draw: the values that the passes of a line began with."""
    site = notes.sites.get(line)
    values = site.losses if site else []
    return {"loss": values} if len(values) > 2 and all(map(math.isfinite, values)) else {}


def uphill(notes, error, warned):
    """All parameters move along the gradient of a loss, and the loss grows."""
    moving = [leaf for leaf in known(notes) if leaf.updates]
    resting = [leaf for leaf in known(notes) if leaf.nonzero and not leaf.updates]
    if resting or not moving:
        return
    if turned_loss := _turned(notes):
        yield turned_loss
    for line, leaves in by_line(moving).items():
        site, source = notes.sites[line], notes.source
        climbs = all(leaf.up > 1 and leaf.up > 0.9 * leaf.updates - 1 for leaf in leaves)
        named = _RAISED.search(source.target(site.root_line).lower() + source.text(line).lower())
        given = all(GIVEN.match(leaf.name) for leaf in leaves)
        if climbs and not named and not given and _grows(site):
            place, text, rate = rate_of(notes, leaves[0])
            places = {leaf.update_line for leaf in leaves} - {0}
            places = sorted(places) or source.calls(r"\.data\s*(\+?=)") or [line]
            sentence = (
                f"{names(leaves)} moved along the gradient in {leaves[0].up} of "
                f"{leaves[0].updates} steps, and {_course(site)}."
            )
            if rate < 0:
                places, change = [place], Change(place, text.lstrip("-"), text)
            else:
                change = all_of([turned(source, where) for where in places])
            told = sentence, "Subtract:", change, 0, losses(notes, line)
            yield Finding("uphill", places[0], *told)


def _turned(notes):
    """The finding of a training that makes minus a squared error small; or None."""
    [site, *others] = notes.sites.values()
    squares = {"Pow", "MseLoss", "SmoothL1Loss"} & set(site.kinds)
    if others or site.kinds[:1] != ("Neg",) or not squares or len(site.losses) < 4:
        return None
    source, line = notes.source, site.root_line
    falls = all(value <= 0 for value in site.losses) and site.last[-1] < 2 * site.losses[0]
    old = source.text(line)
    if not falls or _RAISED.search(old.lower() + source.text(site.line).lower()):
        return None
    change = Change(line, old.replace("= -", "= ", 1), old) if "= -" in old else None
    sentence = f"What is made small is minus an error: {_course(site)}."
    return Finding("uphill", line, sentence, "Leave out the minus:", change)


def _grows(site):
    values = site.losses
    if len(values) < 3 or not all(v >= 0 for v in values if v == v):
        return False
    return not math.isfinite(values[-1]) or values[-1] > values[0]


def _course(site):
    told = [number(value, digits=4) for value in site.losses[:4]]
    return f"the loss went {', '.join(told)}, ... {number(site.last[-1], digits=4)}"


def diverges(notes, error, warned):
    """The loss runs away while the parameters move against the gradient."""
    for line, leaves in by_line(leaf for leaf in known(notes) if leaf.updates).items():
        site = notes.sites[line]
        if not _runs_away(site):
            continue
        rates, change = [rate_of(notes, leaf) for leaf in leaves], None
        if all(rate for _, _, rate in rates):
            smaller = [f"{float(f'{rate / _overshoot(site):.0e}'):g}" for _, _, rate in rates]
            changes = [Change(at, new, old) for (at, old, _), new in zip(rates, smaller)]
            change = all_of(changes)
        sentence = f"In {site.passes} steps {_course(site)}."
        told = sentence, "Smaller steps:", change, 0, losses(notes, line)
        yield Finding("diverges", min(at for at, _, _ in rates) or line, *told)


def _runs_away(site):
    values, last = site.losses, site.last
    if site.moves < 3 or not values or not math.isfinite(values[0]):
        return False
    if not math.isfinite(last[-1]):
        return True
    first = max(abs(values[0]), 1e-3)
    rising = all(b > 1.2 * a > 0 for a, b in zip(last[-4:], last[-3:]))
    return len(values) > 3 and last[-1] == site.worst and rising and last[-1] > 10 * first


def _overshoot(site):
    """By how much the steps were too large, as for a loss that is a parabola."""
    ratios = [b / a for a, b in zip(site.losses, site.losses[1:]) if 0 < a < b < math.inf]
    return 2 * (1 + max(ratios, default=100) ** 0.5)
