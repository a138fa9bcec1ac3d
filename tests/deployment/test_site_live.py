"""The course in a browser alone: built, served as files, opened with every other host refused.

`run.py bench site SITE` looks at all of it.
"""

import hashlib
import json
import re
import shutil
import threading
import zipfile
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from benchmarks import site as bench
from tests.browser.notebook import wait_until
from tests.browser.visit import CELLS, Server, Visitor
from tools.copies import LESSONS, SHOWN
from tools.site import __main__, bytecode, fetched, lessons, links, live, wheels

LESSON = "03-weigh-outputs.ipynb"
# In the page: what a bar has said while the page and its Python were starting.
NOTES_BARS = """window.said = new Set();
    new MutationObserver(() => document.querySelectorAll("[role=status]:has(progress)")
        .forEach(bar => window.said.add(bar.innerText.trim()))
    ).observe(document, {childList: true, subtree: true, characterData: true});"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "live"
    live.build(folder)
    return folder


@pytest.fixture(scope="module")
def server(site):
    with Server(site) as server:
        yield server


@pytest.fixture(scope="module")
def visitor(playwright, server):
    with Visitor(playwright, server.address) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def opened(visitor):
    """Lesson 03 as a page of the book opens it, at a heading. `asked` and `begun`: what it asked
    for, and its workers, until Python was ready."""
    visitor.context.add_init_script(NOTES_BARS)
    asked, begun = [], []

    def note(page):
        page.on("request", lambda request: asked.append(request.url))
        page.on("worker", lambda worker: begun.append(worker.url))

    visitor.context.once("page", note)
    named = f"{links.live(LESSON)}#{links.anchor('Edit v yourself')}"
    lesson = visitor.open(named.partition("path=")[2])
    lesson.asked, lesson.begun = asked[:], begun[:]
    return lesson


@pytest.fixture(scope="module")
def lesson(opened):
    """Lesson 03, run from its first cell to its last."""
    opened.run_all()
    return opened


def test_a_lesson_opens_at_the_heading_that_is_named(opened):
    """And one that was only opened is not kept by the browser: a newer one will take its place."""
    expect(opened.page.locator("[data-jupyter-id='Edit-v-yourself']")).to_be_in_viewport()
    changed = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
    assert not opened.page.evaluate(changed)


def test_at_a_heading_the_cells_above_it_can_be_run(opened):
    """Python has just begun: without them, the first cell there does not even know torch."""
    opened.page.get_by_role("button", name="Run all cells above").click()
    there = 'widgets.UpstreamEditor("a * a")'

    def runs():
        cells = opened.page.evaluate(CELLS)
        place = [there in cell["source"] for cell in cells].index(True)
        return [cell["count"] is not None for cell in cells[: place + 1]]

    wait_until(runs, lambda found: all(found[:-1]) and not found[-1])
    assert opened.execute("print(torch.__name__)").strip() == "minigrad"


def test_a_lesson_runs_from_start_to_end(lesson):
    assert lesson.problems() == []


def test_while_it_started_a_bar_said_what_was_waited_for(opened):
    said = " ".join(opened.page.evaluate("() => [...window.said]"))
    assert "1 of 2: JupyterLab is loading" in said and "2 of 2: Python is starting" in said
    expect(
        opened.page.get_by_role("status").filter(has=opened.page.locator("progress"))
    ).to_have_count(0)


def test_python_starts_beside_jupyterlab_and_once(opened):
    """Its worker is asked for before JupyterLab is, and is the one in which the lesson runs."""
    places = [
        next(place for place, url in enumerate(opened.asked) if name in url)
        for name in ("comlink.worker", "jlab_core")
    ]
    assert places == sorted(places)
    assert ["comlink.worker" in url for url in opened.begun] == [True]
    assert sum("pyodide.asm.wasm" in url for url in opened.asked) == 1


def test_python_need_not_compile_and_ours_can_be_read(lesson):
    told = lesson.execute(
        "import sys, inspect, minigrad.backward, IPython\n"
        "print([one for one in sys.modules.values() if (getattr(one, '__spec__', None) and "
        "one.__spec__.has_location and not one.__spec__.cached "
        "and str(one.__file__).endswith('.py'))])\n"
        "print(inspect.getsource(minigrad.backward)[:3], IPython.__file__[-3:])"
    )
    assert told.split() == ["[]", '"""', "pyc"]


def test_the_editor_follows_mouse_and_keyboard_and_refuses(playwright, server, lesson, capsys):
    """By the part of `run.py bench site` that measures it, too; its other parts take minutes."""
    check = bench.Check(playwright, server, lessons=LESSON)
    bench.work_the_editor(check, lesson, edits=3, warm_up=0)
    assert check.wrong == [] and "95th percentile" in capsys.readouterr().out
    assert "stored" in lesson.upstream_editor().inner_text()  # PyTorch's side says where it is from


def test_what_is_solved_survives_a_new_start_of_the_kernel(lesson):
    lesson.execute(
        "from minigrad.classroom.lessons.progress import remember\nremember('03-1', True)"
    )
    lesson.restart()
    told = lesson.execute("from minigrad.classroom import progress\nprint(progress())")
    assert "Lesson 03  1 of" in told and "Kept in /drive/minigrad-progress.json" in told


def test_a_link_from_a_lesson_opens_the_next_one(lesson, visitor):
    with visitor.context.expect_page() as opened:
        lesson.page.locator("a[href$='/04-draw-jacobian.ipynb']").first.click()
    there = "**/notebooks/index.html?path=04-draw-jacobian.ipynb"
    opened.value.wait_for_url(there, wait_until="commit")  # before it starts a Python of its own
    opened.value.close()


def test_its_pictures_are_drawn(lesson):
    """Those of lesson 04, whose cells take the place of the others. The last that is done here."""
    cells = json.loads((LESSONS / "04-draw-jacobian.ipynb").read_text("utf-8"))["cells"]
    lesson.renew(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"])
    lesson.run_all()
    pictures = lesson.page.locator("img.mg-drawn[alt]")
    shown = pictures.evaluate_all("all => all.filter(one => one.naturalWidth > 100).length")
    assert shown >= 1
    told = lesson.execute(
        "from minigrad.classroom import pictures\n"
        "own = pictures.lines({'mine': [5, 7]}, alt='My line.')\nprint(own.svg[:4], own)"
    )
    assert " ".join(told.split()) == "<svg Picture: My line. mine 5, 7"


def test_nothing_else_is_asked_for(lesson, visitor, server):
    assert visitor.asked == set() and visitor.errors == []
    assert {path for path in server.answered(404) if "favicon" not in path} == set()
    assert len(server.answered(200)) > 50


def test_the_same_inputs_give_the_same_bytes(site, tmp_path, monkeypatch):
    """Of the browser's Python: ours is compiled again, and one package of others for all of them.
    The rest is JupyterLite's, or a copy."""
    kept = tmp_path / "kept"
    shutil.copytree(bytecode.KEPT, kept, ignore=shutil.ignore_patterns("six-*"))
    monkeypatch.setattr(bytecode, "KEPT", kept)
    again = tmp_path / "again"
    again.mkdir()
    wheels.put_python(again)
    assert len(list(kept.glob("six-*"))) == 1
    made = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in again.iterdir()}
    first = site / "static" / "pyodide"
    assert len(made) > 20
    for name, digest in made.items():
        assert hashlib.sha256((first / name).read_bytes()).digest() == digest, name


def test_every_lesson_is_there_without_answers(site):
    held = {path.name: json.loads(path.read_text("utf-8")) for path in site.glob("files/*.ipynb")}
    assert set(held) == {path.name for path in LESSONS.glob("*.ipynb")}
    for name, notebook in held.items():
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert name.removesuffix(".ipynb") in SHOWN or not any(cell["outputs"] for cell in cells)
        assert all(isinstance(cell["source"], str) for cell in notebook["cells"])


def said_in(path):
    """The texts and programs of a notebook, without what they show."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return "\n".join(cell["source"] for cell in cells)


def test_the_lessons_say_what_is_otherwise_in_a_browser(site):
    held = {path.name: path.read_text("utf-8") for path in site.glob("files/*.ipynb")}
    # ... the button that interrupts is not named
    assert not [path.name for path in site.glob("files/*.ipynb") if "\u25a0" in said_in(path)]
    changed = [name for name, text in held.items() if "Restart Kernel" in text]
    stored = [
        p.name for p in LESSONS.glob("*.ipynb") if "Does it never end?" in p.read_text("utf-8")
    ]
    assert set(stored) < set(changed) and "00-set-out.ipynb" in changed
    assert "minigrad-progress.json" in held["index.ipynb"]
    for name, text in held.items():
        links = re.findall(r"\]\(([^)\s#]+)", "".join(markdown_of(json.loads(text))))
        assert [link for link in links if link not in held and ":" not in link] == [], name


def markdown_of(notebook):
    return [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


def test_the_settings_name_no_other_host(site):
    for path in site.rglob("jupyter-lite.json"):
        assert not re.search(r"https?:", path.read_text("utf-8")), path


def test_the_list_of_packages_is_what_lies_beside_it(site):
    folder = site / "static" / "pyodide"
    packages = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))["packages"]
    assert {one["file_name"] for one in packages.values()} == {p.name for p in folder.glob("*.whl")}
    for one in packages.values():
        data = (folder / one["file_name"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert set(one["depends"]) <= set(packages)
    assert "minigrad" in packages["minigrad"]["imports"] and "numpy" in packages["numpy"]["imports"]


def test_the_wheel_holds_the_project_and_no_test(tmp_path):
    with zipfile.ZipFile(wheels.project(tmp_path)) as archive:
        names = archive.namelist()
    assert "minigrad/classroom/compare/recorded/answers.jsonl" in names
    assert not [name for name in names if "test" in name or "__pycache__" in name]


def test_a_folder_with_other_things_is_not_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SystemExit, match="other files"):
        live.build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_what_cannot_be_fetched_is_named(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(fetched, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(fetched, "of_node", lambda command: ["false"])
    with pytest.raises(SystemExit, match="pyodide@0.27.7"):
        fetched.from_npm(wheels.PYODIDE)
    assert not list((tmp_path / "cache").iterdir())


def test_a_sentence_that_is_told_otherwise_and_was_reworded_stops_the_build():
    said = "\n".join(lessons.OTHERWISE)
    lessons.refuse_what_nobody_says([{"cells": [{"source": said}]}])
    reworded = said.replace("Does it never end", "Does it go on")
    with pytest.raises(ValueError, match="Does it never end"):
        lessons.refuse_what_nobody_says([{"cells": [{"source": reworded}]}])


def test_what_was_built_can_be_handed_out(site):
    with __main__.server(site, 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        answer = urlopen(f"http://127.0.0.1:{serving.server_port}/index.html").read()
        serving.shutdown()
    assert answer == (site / "index.html").read_bytes()
