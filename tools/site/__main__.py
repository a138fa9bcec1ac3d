"""Build the static site: python3 run.py site OUT [--only live|book] [--serve [PORT]]

OUT becomes a folder that any web server can serve, under any path: the book at its root, and in
OUT/live the course that runs in the browser. docs/site.md says more.

--only live, --only book    build one of the two
--serve, --serve 8080       then serve it to this machine and its network, until Ctrl-C
"""

import argparse
import contextlib
import functools
import http.server
from pathlib import Path

from . import book, live


def main():
    parser = argparse.ArgumentParser(prog="python3 run.py site")
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", choices=("live", "book"))
    parser.add_argument("--serve", type=int, nargs="?", const=8000, metavar="PORT")
    options = parser.parse_args()
    if options.only != "live":
        book.build(options.out)
    if options.only != "book":
        live.build(options.out / "live")
    if options.serve is None:
        print(f"Built. To look at it: python3 run.py site {options.out} --serve")
    else:
        with contextlib.suppress(KeyboardInterrupt), server(options.out, options.serve) as serving:
            print(f"http://localhost:{serving.server_port} until Ctrl-C", flush=True)
            serving.serve_forever()


def server(folder, port):
    """A server of the folder's files; port 0 is any that is free."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    return http.server.ThreadingHTTPServer(("", port), handler)


if __name__ == "__main__":
    main()
