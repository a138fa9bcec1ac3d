"""Papers for exams and for assistants: python3 run.py papers OUT

OUT gets the exam questions, lesson by lesson, without and with their key, and a key to the lessons'
own cards and exercises, as pages to print.
"""

import sys
from pathlib import Path

from tools import key, questions


def main(*arguments):
    if len(arguments) != 1:
        sys.exit("Name a folder: python3 run.py papers OUT")
    out = Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    (out / "questions.html").write_text(questions.page(), encoding="utf-8")
    (out / "questions-key.html").write_text(questions.page(key=True), encoding="utf-8")
    (out / "lessons-key.html").write_text(key.key(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
