"""Build the static site: `python3 run.py site OUT [--pyodide cdn] [--only live|book]`.

OUT becomes a folder that any server of files can serve, under any path: the course that runs in the
browser in OUT/live, and around it, in OUT itself, the book. docs/site.md says more.
"""

import argparse
from pathlib import Path

from . import book, live


def main():
    parser = argparse.ArgumentParser(prog="run.py site", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--pyodide", choices=("here", "cdn"), default="here")
    parser.add_argument("--only", choices=("live", "book"))
    options = parser.parse_args()
    if options.only != "live":
        book.build(options.out)
    if options.only != "book":
        live.build(options.out / "live", pyodide=options.pyodide)
    print(f"To look at it: python3 -m http.server -d {options.out}")


if __name__ == "__main__":
    main()
