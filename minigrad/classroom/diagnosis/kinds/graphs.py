"""Kinds that show in graphs which stay in memory."""

from ..changes import cut_between
from ..kind import Kind

_KEPT = r"\.(append|extend|add)\((\w+|\(.*\)|\w+\[.*\])\)$|\+= \[\w+\]$|\] = \w+$"  # as it is


GRAPH_GROWS = Kind(
    "graph-grows",
    "steps that hold on to all graphs before them",
    lesson="09-free-graph",
    why="A graph is the record of how a result was computed. Here none is freed: memory fills.",
    advice="Keep the numbers without their graph: .detach(), or .item() for a Python number.",
    fixes=[(r"(\+= \[?|append\(|\+ )([\w.]+)(\]?\)?)$", r"\1\2.detach()\3")],
    certain=True,
)


@GRAPH_GROWS.seen
def graph_grows(case):
    """Each step holds on to the graph of the one before."""
    for site in case.notes.sites.values():
        if not site.grows:
            continue
        source = case.source
        lines = joined(case, site.line) or source.having(_KEPT) or met_again(case, site.line)
        line = [*lines, site.line][0]
        sentence = (
            f"At a later backward() in line {case.shown(site.line)} the graphs of {site.grows} "
            "earlier steps were still there. This line holds on to them."
        )
        names = source.target(site.root_line), source.rebinds(line)
        lines = [cut_between(source, line, name) for name in names if name] or [{}]
        yield "graph-grows", line, sentence, lines[0] or lines[-1] or None


def joined(case, line):
    """The lines that take up, in each round of a loop, what was recorded in the one before."""
    source = case.source
    chained = [where for where, count in case.notes.joins.items() if count and where != line]
    bound = [w for w in chained if source.rebinds(w) or "+=" in source.text(w)]
    carried = source.carried(line)
    if chained and not set(bound) & set(carried) and carried:
        return carried  # in a function that the loop calls
    return bound


def met_again(case, line):
    """The lines in which results of several rounds meet."""
    return [where for where, count in case.notes.joins.items() if count > 1 and where != line]


GRAPH_KEPT = Kind(
    "graph-kept",
    "a graph kept for a second pass that never comes",
    lesson="09-free-graph",
    why="Keeping costs memory in every step, and hides errors that would help.",
    advice="Leave retain_graph=True out.",
    fixes=[(r",? ?retain_graph=True", "")],
    certain=True,
)


@GRAPH_KEPT.seen
def graph_kept(case):
    """`retain_graph=True` in every step of a training, and no pass that needs it."""
    for site in case.notes.sites.values():
        kept = site.keeps == site.passes > 2 and site.moves > 1 and not site.needed
        if kept and "retain_graph=True" in case.source.text(site.line):
            sentence = f"{site.passes} passes kept their graphs; no other pass went through them."
            yield "graph-kept", site.line, sentence
