"""Anomaly mode: name the operation whose backward rule first returned nan.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#anomaly-detection
"""

import warnings

import numpy as np

from .graph import recorders

checks_nan = False
enabled = False


def is_anomaly_enabled():
    """Whether anomaly mode is on."""
    return enabled


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode also looks for nan in every gradient."""
    return checks_nan


class set_detect_anomaly:
    """Switch anomaly mode at once; as a `with` block, restore what was before at its end."""

    def __init__(self, mode, check_nan=True):
        self._before = (enabled, checks_nan)
        _set(mode, mode and check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        _set(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A `with` block in which nan in a gradient is an error that names the operation."""

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
        _set(True, self._check_nan)


def _set(on, check_nan):
    global enabled, checks_nan
    if enabled:
        recorders.remove(remember)
    enabled, checks_nan = bool(on), bool(check_nan)
    if enabled:
        recorders.append(remember)


def check(node, grads):
    """RuntimeError if one of the gradients that `node` returned holds nan."""
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(getattr(grad, "_array", grad)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def remember(node, args, out):
    """Note where in the program a node was recorded."""
    import traceback

    node.metadata["traceback_"] = traceback.format_stack()[:-4]


def explain(node):
    """In anomaly mode, warn which part of the program recorded the node that failed."""
    if not enabled:
        return
    where = node.metadata.get("traceback_")
    if where is None:
        text = (
            f"Error detected in {node.name()}. No forward pass information available. Enable "
            "detect anomaly during forward pass for more information."
        )
    else:
        text = (
            f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
            + "".join(where)
        )
    warnings.warn(text, UserWarning, stacklevel=2)
