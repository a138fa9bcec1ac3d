"""How the code is kept: format and lint, by ruff, and types, by mypy.

    python3 run.py check           all three, writing nothing
    python3 run.py check --fix     reformat, and fix what lint can

The tests check the same (tests/house/test_format.py).
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


def main(*arguments):
    if arguments == ("--fix",):
        sys.exit(max(call(command).returncode for command in FIXES))
    if arguments:
        sys.exit(__doc__)
    failed = [name for name, command in CHECKS.items() if call(command).returncode]
    sys.exit(f"To be fixed: {', '.join(failed)}." if failed else 0)


def call(command, **how):
    """Run one of the checkers."""
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, **how)


if __name__ == "__main__":
    main(*sys.argv[1:])
