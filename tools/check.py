"""How the code is kept: format and lint, by ruff, and types, by mypy.

    python -m tools.check [format] [lint] [types]     all of them, or some

`python3 run.py check` comes here after its set-up; before a commit it is what
.pre-commit-config.yaml asks for, and tests/house/test_format.py asks for it, too.
"""

import subprocess
import sys

from run import ROOT

CHECKS = {
    "format": ["ruff", "format", "--check", "--diff"],
    "lint": ["ruff", "check"],
    "types": ["mypy"],
}


def main(names):
    unknown = set(names) - set(CHECKS)
    if unknown:
        sys.exit(f"There is no check {', '.join(sorted(unknown))}. There are: {', '.join(CHECKS)}.")
    failed = [name for name in names or CHECKS if call(name).returncode]
    sys.exit(f"To be mended: {', '.join(failed)}." if failed else 0)


def call(name, **how):
    """Run one of the checks."""
    return subprocess.run([sys.executable, "-m", *CHECKS[name]], cwd=ROOT, **how)


if __name__ == "__main__":
    main(sys.argv[1:])
