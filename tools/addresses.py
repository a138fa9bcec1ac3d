"""The addresses that depend on where the project lives: its site's and Binder's.

    python -m tools.addresses OWNER/REPOSITORY           write them into the README
    python -m tools.addresses none                       take them out again
    python -m tools.addresses --check OWNER/REPOSITORY   say whether they lead to this repository

Pages of GitHub itself are linked relatively (`../../actions`), which is right in every fork. These
two lie elsewhere, so a fork writes its own, once. They stand between marks in the README, and in no
lesson: a learner's copy, the book and the live course know by themselves where they are.
"""

import re
import sys

from minigrad.classroom.lessons.course import COURSE
from tools.copies import FIRST
from tools.notebooks import ROOT, write
from tools.site import links

README = ROOT / "README.md"
NONE = "none"
BLOCK = re.compile(r"(<!-- addresses of (\S+): (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def site(repository):
    """Where GitHub Pages shows the site of a repository."""
    owner, name = repository.split("/")
    home = f"https://{owner.lower()}.github.io/"
    return home if name.lower() == f"{owner.lower()}.github.io" else f"{home}{name}/"


def badges(repository):
    binder = links.binder(repository, FIRST)
    return (
        f"[The course in your browser]({site(repository)})\n"
        f"[![On Binder](https://mybinder.org/badge_logo.svg)]({binder})\n"
    )


def browser(repository):
    if repository == NONE:
        return "This copy of the project names no site. [How to publish one](docs/publish.md).\n"
    home = site(repository)
    lessons = (f"[{one.number}]({home}{links.live(one.file + '.ipynb')})" for one in COURSE)
    return (
        f"**[Open the course]({home})**, on a computer, a tablet or a phone. A lesson at once:\n"
        + ",\n".join(lessons)
        + ".\n"
    )


def binder(repository):
    if repository == NONE:
        repository = "OWNER/REPOSITORY"
    return f"    {links.binder(repository, FIRST)}\n"


BLOCKS = {"badges": badges, "browser": browser, "binder": binder}


def in_readme(text, repository):
    """The README with the addresses of a repository."""

    def block(found):
        name = found[3]
        told = "" if repository == NONE and name == "badges" else BLOCKS[name](repository)
        return f"<!-- addresses of {repository}: {name} -->\n{told}{found[5]}"

    return BLOCK.sub(block, text)


def told():
    """The repository that the README names."""
    return BLOCK.search(README.read_text(encoding="utf-8"))[2]


def main(*arguments):
    checking, names = "--check" in arguments, [one for one in arguments if one != "--check"]
    if len(names) != 1 or not re.fullmatch(rf"[\w.-]+/[\w.-]+|{NONE}", names[0]):
        sys.exit("Name one repository, as OWNER/REPOSITORY; docs/publish.md says more.")
    [repository] = names
    if checking:
        if told() != repository:
            # GitHub shows such a line as a warning beside the run.
            print(
                f"::warning::The README has the addresses of {told()}. To write this "
                f"repository's: python -m tools.addresses {repository}"
            )
        return
    write(README, in_readme(README.read_text(encoding="utf-8"), repository))
    print(f"The README has the addresses of {repository}. Commit it.")


if __name__ == "__main__":
    main(*sys.argv[1:])
