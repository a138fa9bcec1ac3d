"""What another PyTorch than the recorded one changes: `python -m tools.newer [--no-tests]`.

Prints which version is recorded and which is installed, the recorded answers that the installed one
gives otherwise, and the files that name the recorded version. Then it runs the tests that compare
with the installed PyTorch. It changes nothing; docs/newer-pytorch.md says what to do with it.
"""

import re
import subprocess
import sys

import nbformat

from minigrad.classroom import engines, record, recorded
from minigrad.classroom.results import written
from tools.files import ROOT

FOLDERS = ("minigrad", "notebooks", "docs", "tests", "tools", "binder", "deploy")
TEXTS = {".py", ".ipynb", ".md", ".html", ".toml", ".txt", ".yaml", ".json"}
COMPARING = (
    "tests/engine",
    "tests/classroom/test_recorded.py",
    "tests/classroom/lessons",
    "tests/notebooks",
    "tests/house/test_papers.py",
)


def changed(found, before):
    """Lines that tell what {key: {name: record}} has become, a line for each name."""
    lines = []
    for key in sorted(found.keys() | before):
        new, old = found.get(key, {}), before.get(key, {})
        for name in [*old, *(name for name in new if name not in old)]:
            if new.get(name) != old.get(name):
                was, now = written(old.get(name)), written(new.get(name))
                lines.append(f"{key}\n    {name}\n    was  {was}\n    is   {now}")
    return lines


def naming(version, root=ROOT):
    """{file: how often it names the version}: "2.13" is in 2.13.0, and not in 12.13 or 2.131."""
    short = re.compile(rf"(?<![\d.]){re.escape(version.rpartition('.')[0])}(?!\d)")
    found = {}
    for folder in (".", *FOLDERS):
        paths = (root / folder).glob("*" if folder == "." else "**/*")
        for path in sorted(path for path in paths if path.suffix in TEXTS and path.is_file()):
            if count := len(short.findall(written_by_hand(path))):
                found[path.relative_to(root).as_posix()] = count
    return found


def written_by_hand(path):
    """A file's text, of a notebook without its outputs: a new run stores those."""
    if path.suffix != ".ipynb":
        return path.read_text("utf-8")
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)


def main(*arguments):
    torch = engines.torch_now()
    if torch is None:
        sys.exit("torch is not installed here: there is nothing to compare with.")
    was, now = recorded.version(), engines.version(torch)
    lines = changed(record.answers(torch), recorded.answers())
    print(f"Recorded: PyTorch {was}. Installed: PyTorch {now}.\n")
    print(f"{len(lines)} recorded answers are others now.", *lines, sep="\n")
    print(f"\nThese files name PyTorch {was.rpartition('.')[0]} (outputs aside), so often:")
    for file, count in naming(was).items():
        print(f"{count:5} {file}")
    if "--no-tests" not in arguments:
        print("\nThe tests that compare with the installed PyTorch:", flush=True)
        sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", *COMPARING]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
