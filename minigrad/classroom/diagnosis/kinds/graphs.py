"""Kinds that show in graphs which stay in memory."""

from ..changes import cut_between
from ..kind import Kind

_KEPT = r"\.(append|extend|add)\((\w+|\(.*\)|\w+\[.*\])\)$|\+= \[\w+\]$|\] = \w+$"  # as it is


@Kind(
    lesson="09-free-graph",
    why="A graph is the record of how a result was computed. None is freed, so memory fills up.",
    advice="Keep the numbers without their graph: .detach(), or .item() for a Python number.",
    fixes=[(r"(\+= \[?|append\(|\+ )([\w.]+)(\]?\)?)$", r"\1\2.detach()\3")],
    certain=True,
)
def graph_grows(case):
    """Every step holds on to the graphs of all steps before it."""
    if case.notes.late:  # a pass at the end of each episode, say, goes through what was kept
        return
    for site in [one for one in case.notes.sites.values() if one.grows]:
        if site.is_freed and not joined(case):  # only the newest are kept
            continue
        of = f"The graphs of {site.grows} earlier steps"
        seen = f"{of} were still in memory at backward() in {case.at(site.line)}."
        if site.needed and not joined(case):
            sentence = f"{seen} This call goes through all of them again."
            advice = "Call backward() on the loss of this step alone."
            yield site.root_line or site.line, sentence, {}, advice
        else:
            line = [*joined(case), *case.source.having(_KEPT), site.line][0]
            names = case.source.target(site.root_line), case.source.rebinds(line)
            lines = [cut_between(case.source, line, name) for name in names if name]
            yield line, f"{seen} This line holds on to them.", next(filter(None, lines), None)


def joined(case):
    """The lines that take up, in each round of a loop, what was recorded in the one before.

    Of calls in calls it is the outermost line that carries a value on.
    """
    source, found = case.source, []
    for lines in case.notes.joins:
        found += [k for k in lines if source.rebinds(k) or "+=" in source.text(k)][-1:]
    return found


@Kind(
    lesson="09-free-graph",
    why="Keeping graphs costs memory in every step, and hides errors that would have helped.",
    advice="Leave retain_graph=True out.",
    fixes=[(r",? ?retain_graph=\w+", "")],
    certain=True,
)
def graph_kept(case):
    """A graph is kept in every step, and no other pass needs it."""
    for site in case.notes.sites.values():
        is_idle = site.keeps and site.moves > 1 and not site.needed
        is_same = site.is_old and site.moves > 2 and len(set(site.losses)) == 1
        if site.stale > 2 or is_same:
            sentence = (
                f"{site.passes} passes went back from the same numbers, made before the parameters "
                "moved: each step used an old gradient."
            )
            advice = "Compute the outputs and the loss again for each step."
            yield site.root_line or site.line, sentence, {}, advice
        elif is_idle and _keeps_for_nothing(case, site.line):
            yield site.line, f"{site.passes} passes kept their graphs, but no later pass used them."


def _keeps_for_nothing(case, line):
    """Whether a line asks to keep a graph (a jacobian does so by itself), for no other purpose."""
    text, passes = case.source.text(line), set(case.source.having(r"\.backward\("))
    is_asked = "retain_graph" in text and "create_graph" not in text
    return is_asked and passes <= case.notes.sites.keys()  # else one may need it that did not run
