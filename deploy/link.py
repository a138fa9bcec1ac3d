"""The link that brings a class folder into each learner's home on a hub with nbgitpuller.

    python3 run.py link https://hub.example.org https://github.com/OWNER/REPOSITORY [BRANCH]

The repository has what `python3 run.py class OUT` wrote. nbgitpuller keeps what learners have
changed and adds what is new.
"""

import sys
from urllib.parse import urlencode, urlsplit


def link(hub, repository, branch="main"):
    """The address to give to learners. Raises ValueError unless both are web addresses."""
    for address in (hub, repository):
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc:
            raise ValueError(f"{address} is not a web address: https://...")
    folder = urlsplit(repository).path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    asked = {
        "repo": repository,
        "branch": branch,
        "urlpath": f"lab/tree/{folder}/notebooks/index.ipynb",
    }
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(asked)}"


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        print(link(*sys.argv[1:]))
    except ValueError as refusal:
        sys.exit(str(refusal))
