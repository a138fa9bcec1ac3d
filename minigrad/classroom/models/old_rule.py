"""Moved to `widgets/shared/old_rule.py`."""

from ..widgets.shared.old_rule import adapted, old_rule  # noqa: F401
