"""The notes of a release, from CHANGELOG.md: python3 run.py release v0.2.0

Refuses a tag that is not the project's version, and a version that CHANGELOG.md calls unreleased.
"""

import re
import sys
import tomllib

from tools.files import ROOT


def notes(tag, version, changes):
    """The text under the version's heading in CHANGELOG.md. Exits if something is missing."""
    if tag != f"v{version}":
        sys.exit(f"The tag is {tag}, and pyproject.toml says version {version}.")
    for part in re.split(r"^## ", changes, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        if heading.split()[0] == version:
            if "not yet released" in heading:
                sys.exit(f'CHANGELOG.md says "{heading}": put the date in its place.')
            return text.strip() + "\n"
    sys.exit(f"CHANGELOG.md has no part on version {version}.")


def main(tag="(none)", *_):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    print(notes(tag, project["version"], changes), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
