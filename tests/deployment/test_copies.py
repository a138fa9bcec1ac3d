"""Learners' copies: no answer below its question, nothing that was written is ever lost."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools import class_folder, copies
from tools.beats import answers, source_of
from tools.notebooks import all_notebooks, execute

LESSON = "03-weigh-outputs.ipynb"
NEW = "03-weigh-outputs-new.ipynb"


@pytest.fixture
def lessons(tmp_path):
    """Lessons that a test may change."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in ("index.ipynb", LESSON, "glossary.ipynb"):
        shutil.copy(copies.LESSONS / name, folder)
    return folder


def edit(path, text, number=0):
    """Write a text into one of the code cells, as JupyterLab would save it."""
    nb = nbformat.read(path, as_version=4)
    [*codes] = [cell for cell in nb.cells if cell.cell_type == "code"]
    codes[number].source = text
    nb.metadata["language_info"] = {"name": "python", "version": "3.99"}
    nbformat.write(nb, path)


def text_of(path):
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)


def test_no_answer_stands_in_a_copy_and_all_else_does(tmp_path):
    assert copies.update(tmp_path) == []
    for path in all_notebooks():
        made, stored = (nbformat.read(p, as_version=4) for p in (tmp_path / path.name, path))
        shown = [cell for cell in made.cells if cell.get("outputs") or cell.get("execution_count")]
        assert not shown or path.stem in copies.SHOWN
        told = [
            cell.source for cell in stored.cells if "lecturers" not in cell.metadata.get("tags", [])
        ]
        assert unfolded(made.cells).split() == "\n\n".join(told).split()


def unfolded(cells):
    """The text of a copy without its folds."""
    folds = r"<details><summary>.*?</summary>|</details>"
    return re.sub(folds, "", "\n\n".join(cell.source for cell in cells))


@pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)
def test_what_explains_a_run_is_folded_where_something_was_asked(path):
    made = copies.copy_of(json.loads(path.read_text(encoding="utf-8")), path.name)
    again = copies.copy_of(made, path.name)
    assert again == made  # a class folder's own copies
    found = [made["cells"][place] for one in answers(made["cells"]) for place in one.explained]
    # The appendix asks nothing before its exercises.
    assert found or path.stem in (*copies.SHOWN, "11-read-old-pytorch")
    for cell in found:
        text = source_of(cell)
        assert text.startswith("<details><summary>") and text.endswith("</details>")
        assert text.count("<details>") == 1


def test_a_fold_holds_all_that_explains_one_run_and_nothing_else(lessons):
    texts = [
        "# T",
        "## Ask\n\nHow much?",
        "1 + 1",
        "It is **2**.",
        "And why.",
        "## Next",
        "2",
        "So.",
    ]
    make = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell
    cells = [make[not text[0].isdigit()](text) for text in texts]
    made = copies.copy_of(nbformat.v4.new_notebook(cells=cells), "03-x.ipynb")["cells"]
    assert [source_of(cell) for cell in made[:3]] == texts[:3]
    assert "It is **2**.\n\nAnd why.\n\n</details>" in source_of(made[3])
    assert [source_of(cell) for cell in made[4:]] == texts[5:]


def test_pages_that_keep_their_outputs_ask_nothing():
    """But for the answer, which is one; what its cards show is still covered."""
    answer = nbformat.read(copies.LESSONS / "answer.ipynb", 4).cells
    cards = [cell for cell in answer if cell.source.startswith("predict(")]
    assert cards and all("Answer" not in str(cell.outputs) for cell in cards)
    for name in set(copies.SHOWN) - {"answer"}:
        codes = [cell.source for cell in nbformat.read(copies.LESSONS / f"{name}.ipynb", 4).cells]
        assert not [
            source for source in codes if source.startswith(("predict(", "check(", "%%mend"))
        ]


def test_a_copy_runs_and_is_then_the_learners(lessons, tmp_path):
    mine = tmp_path / "mine"
    copies.update(mine, lessons)
    (mine / LESSON).write_text(execute(mine / LESSON), encoding="utf-8")
    before = (mine / LESSON).read_bytes()
    edit(lessons / LESSON, "x = 'newer'")
    assert copies.update(mine, lessons) == [NEW]
    assert (mine / LESSON).read_bytes() == before and "newer" in text_of(mine / NEW)


def test_an_unchanged_copy_follows_and_a_changed_one_stays(lessons, tmp_path):
    mine = tmp_path / "mine"
    copies.update(mine, lessons)
    edit(lessons / LESSON, "x = 'second'")
    assert copies.update(mine, lessons) == [] and "second" in text_of(mine / LESSON)
    edit(mine / LESSON, "x = 'my work'", 2)
    assert copies.update(mine, lessons) == []  # nothing is newer
    edit(lessons / LESSON, "x = 'third'")
    assert copies.update(mine, lessons) == [NEW]
    assert "my work" in text_of(mine / LESSON) and "third" not in text_of(mine / LESSON)
    assert "third" in text_of(mine / NEW)
    assert f"]({NEW})" in text_of(mine / "index.ipynb")
    assert copies.update(mine, lessons) == [NEW]  # and again: the same
    edit(lessons / LESSON, "x = 'fourth'")
    assert copies.update(mine, lessons) == [NEW] and "fourth" in text_of(mine / NEW)
    edit(mine / NEW, "x = 'my second work'", 3)
    edit(lessons / LESSON, "x = 'fifth'")
    assert copies.update(mine, lessons) == [NEW.replace("new", "new-2"), NEW]
    assert "my second work" in text_of(mine / NEW) and "my work" in text_of(mine / LESSON)
    assert "fifth" in text_of(mine / NEW.replace("new", "new-2"))


def test_the_first_page_forgets_what_the_learner_threw_away(lessons, tmp_path):
    mine = tmp_path / "mine"
    copies.update(mine, lessons)
    edit(mine / LESSON, "x = 'my work'")
    edit(lessons / LESSON, "x = 'newer'")
    assert copies.update(mine, lessons) == [NEW]
    (mine / NEW).unlink()
    assert copies.update(mine, lessons) == [] and NEW not in text_of(mine / "index.ipynb")
    (mine / LESSON).unlink()  # now the newer one is wanted
    assert copies.update(mine, lessons) == [] and "newer" in text_of(mine / LESSON)


def test_a_first_page_that_was_run_is_no_work_and_one_that_was_written_on_is(lessons, tmp_path):
    mine = tmp_path / "mine"
    copies.update(mine, lessons)
    nb = nbformat.read(mine / "index.ipynb", as_version=4)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="3 of 3 solved")]
    nbformat.write(nb, mine / "index.ipynb")
    edit(lessons / "index.ipynb", "y = 'newer'")
    assert copies.update(mine, lessons) == [] and "newer" in text_of(mine / "index.ipynb")
    edit(mine / "index.ipynb", "# my notes")
    edit(lessons / "index.ipynb", "y = 'newest'")
    assert copies.update(mine, lessons) == ["index-new.ipynb"]
    assert "my notes" in text_of(mine / "index.ipynb")


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"cells": 3}'])
def test_a_copy_or_a_list_that_is_damaged_is_left_as_it_is(lessons, tmp_path, damage):
    mine = tmp_path / "mine"
    copies.update(mine, lessons)
    (mine / LESSON).write_bytes(damage)
    edit(lessons / LESSON, "x = 'newer'")
    assert copies.update(mine, lessons) == [NEW] and (mine / LESSON).read_bytes() == damage
    (mine / copies.KEPT).write_bytes(damage)
    edit(mine / "index.ipynb", "# my notes")
    copies.update(mine, lessons)
    assert (mine / LESSON).read_bytes() == damage and "my notes" in text_of(mine / "index.ipynb")
    assert not (mine / "glossary-new.ipynb").exists()  # it is the newest, whoever made it


def test_a_folder_that_was_moved_goes_on(lessons, tmp_path):
    copies.update(tmp_path / "mine", lessons)
    edit(tmp_path / "mine" / LESSON, "x = 'my work'")
    shutil.move(tmp_path / "mine", tmp_path / "moved")
    edit(lessons / LESSON, "x = 'newer'")
    assert copies.update(tmp_path / "moved", lessons) == [NEW]
    assert "my work" in text_of(tmp_path / "moved" / LESSON)


def test_a_class_folder_has_what_it_needs_and_no_answers(tmp_path):
    out = tmp_path / "class"
    class_folder.make_class(out)
    assert not list(out.rglob("instructor")) and not (out / "tests").exists()
    for path in (out / "notebooks").glob("[0-8]*.ipynb"):
        assert not [cell for cell in nbformat.read(path, as_version=4).cells if cell.get("outputs")]
    run = "import minigrad, minigrad.classroom; print(minigrad.__file__)"
    there = subprocess.run([sys.executable, "-c", run], cwd=out, capture_output=True, text=True)
    assert there.stdout.strip().startswith(str(out.resolve())), there.stderr
    help_ = [sys.executable, "run.py"]
    assert subprocess.run(help_, cwd=out, capture_output=True).returncode == 0
    made = [sys.executable, "run.py", "copies", "my-lessons"]
    subprocess.run(made, cwd=out, check=True)
    edit(out / "my-lessons" / LESSON, "x = 'my work'")
    class_folder.make_class(out)  # a newer version laid over it
    assert "my work" in text_of(out / "my-lessons" / LESSON)


def test_a_folder_in_use_for_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(SystemExit, match="has other files in it"):
        class_folder.make_class(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_what_is_kept_is_plain(lessons, tmp_path):
    copies.update(tmp_path / "mine", lessons)
    kept = json.loads(Path(tmp_path / "mine" / copies.KEPT).read_text())
    assert sorted(kept) == sorted(path.name for path in lessons.glob("*.ipynb"))


def links_of(path):
    """What a page links, in its texts and in its stored outputs, without other hosts."""
    nb = nbformat.read(path, as_version=4) if path.suffix == ".ipynb" else None
    shown = path.read_text(encoding="utf-8") if nb is None else ""
    for cell in nb.cells if nb else ():
        shown += cell.source
        shown += "".join(
            output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())
        )
    found = re.findall(r"\]\(([^)\s]+)\)|href=\"([^\"]+)\"", shown)
    links = [(first or second).partition("#")[0] for first, second in found]
    return [link for link in links if link and "://" not in link and "mailto:" not in link]


@pytest.mark.parametrize("kind", ["my-lessons", "class"])
def test_every_link_in_a_copy_leads_to_a_file_that_is_there(tmp_path, kind):
    out = tmp_path / kind
    class_folder.make_class(out) if kind == "class" else copies.update(out)
    pages = [*out.glob("*.md"), *out.rglob("*.ipynb")]
    links = [(page, link) for page in pages for link in links_of(page)]
    assert "lecture.ipynb" in [link for page, link in links if page.name == "index.ipynb"]
    assert [
        f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()
    ] == []
    # ... and the stored first page does tell lecturers where their notes are.
    assert "instructor/lecture.md" in links_of(copies.LESSONS / "index.ipynb")
