"""A replayed pass in words: one sentence a step, what waits, and what the whole pass got wrong."""

from .local_rules import amount
from .replay import once_a_step, same

MAX_LISTED = 12  # of what waits, in one line


@once_a_step
def log_line(replay, step):
    """One step in one sentence."""
    key = replay.visits[step - 1].key
    node = replay.graph.nodes[key]
    received = received_line(replay, step)
    if node.is_leaf:
        text = f"{node.name}.grad = {received}"
    else:
        parts = [_part_text(part) for part in replay.sent(step)]
        text = f"{node.title}: v = {received}; " + ("; ".join(parts) or "sends nothing")
    for slot in range(node.outputs):
        account = replay.account((key, slot), step)
        if account.wrong:
            text += f"  WRONG, should be {amount(account.right)}"
    return text


def received_line(replay, step):
    """What arrived at the node of a step: "2 = 1 from y + 1 from z"."""
    visit = replay.visits[step - 1]
    texts = [
        _sum_text(replay.account((visit.key, slot), step - 1), value, replay.mode)
        for slot, value in enumerate(visit.received)
    ]
    if len(texts) == 1:
        return texts[0]
    return "; ".join(f"[{slot}]: {text}" for slot, text in enumerate(texts))


def queue_line(replay, step):
    """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
    waiting = replay.waiting(step)
    if not waiting:
        return "nothing: the pass is done"
    if replay.mode == "naive recursion":  # it waits for nothing
        texts = [entry.name for entry in waiting[:MAX_LISTED]]
    else:
        texts = [
            entry.name + (" (ready)" if entry.ready else f" ({entry.arrived} of {entry.expected})")
            for entry in waiting[:MAX_LISTED]
        ]
    more = len(waiting) - MAX_LISTED
    return ", ".join(texts) + (f", … {more} more" if more > 0 else "")


def verdict(replay):
    """One sentence about a wrong pass as a whole; "" about the engine's."""
    if replay.mode == "ordered":
        return ""
    if replay.cut_off:
        return (
            f"Recursion would visit nodes {replay.cut_off:,} times; the first {replay.steps} "
            "visits are shown."
        )
    right, ours = replay.right.leaf_grads(replay.right.steps), replay.leaf_grads(replay.steps)
    wrong = [
        f"{name}.grad ends as {amount(ours[name])}, right is {amount(right[name])}"
        for name in right
        if not same(ours[name], right[name])
    ]
    if wrong:
        return "; ".join(wrong) + "."
    if replay.mode == "overwrite":
        return "Here overwriting does no harm: no node receives more than one contribution."
    return "Here recursion does no harm: no computed node is reached twice."


def _sum_text(account, value, mode):
    """ "4 = 2 + 2", "1 (the seed)": what arrived and what it makes."""
    entries = account.contributions
    if value is None:
        return "nothing"
    if len(entries) == 1:
        source = entries[0].source
        return f"{amount(value)} from {'the seed' if source == 'seed' else source}"
    if mode == "overwrite":
        lost = ", ".join(f"{amount(entry.value)} from {entry.source}" for entry in entries[:-1])
        return f"{amount(value)} from {entries[-1].source} (overwritten: {lost})"
    joined = " + ".join(f"{amount(entry.value)} from {entry.source}" for entry in entries)
    if not same(account.total, value):
        return f"{amount(value)}, changed by a hook from {joined}"
    return f"{amount(value)} = {joined}"


def _part_text(part):
    numbers = f" = {part.numbers}" if part.numbers and part.numbers != amount(part.value) else ""
    if part.numbers and part.numbers.replace("(", "").replace(")", "") == part.symbols:
        numbers = ""
    note = f", {part.note}," if part.note else ""
    return f"to {part.to}: {part.symbols}{numbers}{note} = {amount(part.value)}"
