"""How the code is kept: format and lint, by ruff, and types, by mypy.

    python3 run.py check [format] [lint] [types]     all of them, or some
    python3 run.py check --fix                       write the one format, and mend what lint can

The tests ask for the same (tests/house/test_format.py).
"""

import subprocess
import sys

from tools.files import ROOT

CHECKS = {
    "format": ["ruff", "format", "--check", "--diff"],
    "lint": ["ruff", "check"],
    "types": ["mypy"],
}
FIXES = (["ruff", "check", "--fix"], ["ruff", "format"])


def main(*names):
    if names == ("--fix",):
        sys.exit(max(call(command).returncode for command in FIXES))
    unknown = set(names) - set(CHECKS)
    if unknown:
        sys.exit(f"There is no check {', '.join(sorted(unknown))}. There are: {', '.join(CHECKS)}.")
    failed = [name for name in names or CHECKS if call(CHECKS[name]).returncode]
    sys.exit(f"To be mended: {', '.join(failed)}." if failed else 0)


def call(command, **how):
    """Run one of the checkers."""
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, **how)


if __name__ == "__main__":
    main(*sys.argv[1:])
