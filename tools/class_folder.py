"""A folder for a class: the lessons without answers, and everything they need.

    python3 run.py class OUT

OUT gets a README for students, run.py, the engine and the classroom, and the lessons as learners
get them. Hand it out on a course page, on a USB stick, or as a repository that `run.py link` brings
onto a hub. Run it again to bring the folder up to date; other files in it are left alone.
"""

import shutil
import sys
from pathlib import Path

from tools.copies import FIRST, LESSONS, copy_of, read_json, write_json
from tools.files import ROOT

# What a class needs besides the lessons: no notes for lecturers, tests, other tools or stored
# outputs. run.py offers only the commands it finds.
OF_A_CLASS = (
    "run.py",
    "requirements.txt",
    "constraints.txt",
    "pyproject.toml",
    "LICENSE",
    "binder/overrides.json",
    "binder/jupyter_server_config.py",
    "tools/beats.py",
    "tools/copies.py",
    "tools/files.py",
    "minigrad",
)


def make_class(out):
    """Make the folder, or bring it up to date. Exits if it is used for something else."""
    if out.exists() and any(out.iterdir()) and not (out / "notebooks" / FIRST).exists():
        sys.exit(f"{out} has other files in it: name a new folder or an empty one.")
    for name in OF_A_CLASS:
        source, target = ROOT / name, out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    shutil.copyfile(ROOT / "docs" / "for-students.md", out / "README.md")
    (out / "notebooks").mkdir(exist_ok=True)
    for path in LESSONS.glob("*.ipynb"):
        write_json(out / "notebooks" / path.name, copy_of(read_json(path), path.name))


def main(*arguments):
    if len(arguments) != 1:
        sys.exit("Name one folder: python3 run.py class OUT")
    make_class(Path(arguments[0]))
    print(f"{arguments[0]} has the lessons without answers, and a README for students.")


if __name__ == "__main__":
    main(*sys.argv[1:])
