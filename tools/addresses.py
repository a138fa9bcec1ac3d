"""The addresses that depend on where the project lives: its site's and Binder's.

    python -m tools.addresses OWNER/REPOSITORY           write them into README and lessons
    python -m tools.addresses none                       take them out again
    python -m tools.addresses --check OWNER/REPOSITORY   say whether they lead to this repository

Pages of GitHub itself are linked relatively (`../../actions`), which is right in every fork. These
two lie elsewhere, so a fork writes its own, once. In the README they stand between marks, in a
lesson in a cell of its own, which learners' copies leave out: who reads that is there already.
"""

import re
import sys

from nbformat.v4 import new_markdown_cell

from tools.copies import FIRST, PUBLISHED
from tools.notebooks import ROOT, all_notebooks, as_text, read, write
from tools.site import links

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
    return f"**[Open the course]({site(repository)})**, on a computer, a tablet or a phone.\n"


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


def in_lesson(notebook, name, repository):
    """The notebook, changed: with a cell under its title that says where it runs, or without."""
    notebook.cells = [c for c in notebook.cells if PUBLISHED not in c.metadata.get("tags", ())]
    if repository != NONE:
        live, there = site(repository) + links.live(name), links.binder(repository, name)
        text = (
            f"Run this page [in your browser]({live}), without installing, or [on Binder]({there})."
        )
        metadata = {"tags": [PUBLISHED], "slideshow": {"slide_type": "skip"}}
        notebook.cells.insert(1, new_markdown_cell(text, id="addresses", metadata=metadata))
    return notebook


def pages(repository):
    """{file: its text} of all that name addresses, as they are for a repository."""
    readme = ROOT / "README.md"
    found = {readme: in_readme(readme.read_text(encoding="utf-8"), repository)}
    for path in all_notebooks():
        found[path] = as_text(in_lesson(read(path), path.name, repository))
    return found


def told():
    """The repository that the README names."""
    return BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))[2]


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
    for path, text in pages(repository).items():
        write(path, text)
    print(f"README and lessons have the addresses of {repository}. Commit them.")


if __name__ == "__main__":
    main(*sys.argv[1:])
