"""How the code is kept: format and lint, by ruff, and types, by mypy.

    python3 run.py check [format] [lint] [types]     all of them, or some
    python3 run.py check --fix                       write the one format, and mend what lint can
    python3 run.py check --hook                      ask for all of them before each commit

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
HOOK = "#!/bin/sh\nexec python3 run.py check\n"


def main(*names):
    if names == ("--hook",):
        return add_hook()
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


def add_hook():
    """Let git ask for the checks before each commit; a hook that is there already stays."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "--git-path", "hooks"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    hook = ROOT / told / "pre-commit"
    if hook.exists():
        sys.exit(f"There is a hook already: {hook}")
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    print(f"Each commit asks for format, lint and types now; delete {hook} to end it.")


if __name__ == "__main__":
    main(*sys.argv[1:])
