"""Anomaly mode: name the operation whose backward rule first returned nan.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#anomaly-detection
"""

import os
import warnings

import numpy as np

from .hooks import recorders

checks_nan = False
enabled = False
_running = None  # the node whose rules run now: what they record was "induced by" it
_here = os.path.dirname(__file__)


def is_anomaly_enabled():
    """Whether anomaly mode is on."""
    return enabled


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode also looks for nan in every gradient."""
    return checks_nan


class set_detect_anomaly:
    """Switch anomaly mode at once; as a `with` block, restore what was before at its end.

    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.set_detect_anomaly
    """

    def __init__(self, mode, check_nan=True):
        self._before = (enabled, checks_nan)
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        set_anomaly_enabled(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A `with` block in which nan in a gradient is an error that names the operation.

    RuntimeError in the backward pass that finds one; with `check_nan=False` nothing is looked for.
    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.detect_anomaly
    """

    def __init__(self, check_nan=True):
        self._before = (enabled, checks_nan)
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self):
        set_anomaly_enabled(True, self._check_nan)


def set_anomaly_enabled(enabled, check_nan=True):
    """Turn anomaly mode on or off, with or without looking for nan; TypeError for what is no bool."""
    for position, (name, flag) in enumerate([("enabled", enabled), ("check_nan", check_nan)], 1):
        if not isinstance(flag, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, not "
                f"{type(flag).__name__}"
            )
    if remember in recorders:
        recorders.remove(remember)
    if enabled:
        recorders.append(remember)
    globals().update(enabled=enabled, checks_nan=check_nan)


def apply(node, g, create_graph):
    """The node's `apply`, with a warning of where the node comes from if that fails."""
    global _running
    outer, _running = _running, node
    try:
        grads = node._plan.apply(node, g, create_graph)
        if checks_nan:
            check(node, grads)
        return grads
    except Exception:
        explain(node)
        raise
    finally:
        _running = outer


def check(node, grads):
    """RuntimeError if one of the gradients that `node` returned holds nan."""
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(getattr(grad, "_array", grad)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def remember(node, args=None, out=None):
    """Note where in the program a node was recorded, and in which node's backward rules."""
    import traceback  # not needed before

    frames = traceback.extract_stack()
    while len(frames) > 1 and frames[-1].filename.startswith((_here, "<plan of ")):
        frames.pop()  # the engine's own
    node.metadata["traceback_"] = traceback.format_list(frames)
    if _running is not None:
        node.metadata["parent_"] = _running


def explain(node):
    """Warn which part of the program recorded the node that failed, and what made it do so."""
    said, ends = f"Error detected in {node.name()}. ", "that caused the error"
    while node is not None:
        where = node.metadata.get("traceback_")
        if where is None:
            said += ("No forward pass information available. Enable detect anomaly during forward "
                     "pass for more information.")  # fmt: skip
        else:
            said += f"Traceback of forward call {ends}:\n" + "".join(where)
        warnings.warn(said, UserWarning, stacklevel=2)
        node = node.metadata.get("parent_")
        if node is not None:
            said = f"\n\nPrevious calculation was induced by {node.name()}. "
            ends = "that induced the previous calculation"
