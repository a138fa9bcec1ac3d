"""Use a built site as a class would: python3 run.py bench site OUT [--only start,lessons]

Opens the live course of OUT in a real Chromium that reaches only this machine, runs each lesson
from its first cell to its last, works the widgets by mouse and keyboard, reloads, and prints what
it finds and measures. Ends with an error if a cell fails without announcing it, if a file is
missing, or if another host was contacted. `--only start,lessons` runs parts.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import psutil
from playwright.sync_api import sync_playwright

from benchmarks.redraw import ACT_AND_WAIT
from tests.browser.visit import IDLE, Lesson, Server, Visitor

LESSON = "03-weigh-outputs.ipynb"
# In the kernel: each exercise solved as a learner does, and whether its check says so.
SOLUTIONS = """
import minigrad
from minigrad.classroom import check
from minigrad.classroom.lessons import every_lesson
from minigrad.classroom.lessons.mend import Mend
from minigrad.classroom.lessons.stages import Stage

failed = []
for module in every_lesson().values():
    for exercise in getattr(module, "EXERCISES", ()):
        answer = exercise.solution
        if not isinstance(exercise, (Mend, Stage)):
            space = {"torch": minigrad}
            exec(answer, space)
            answer = space[exercise.answer]
        if not check(exercise.name, answer).passed:
            failed.append(exercise.name)
print(failed)
"""


class Check:
    """One run: what it looks at, and what it has found wrong."""

    def __init__(self, playwright, server, lessons):
        self.playwright, self.server, self.lessons, self.wrong = playwright, server, lessons, []

    @contextlib.contextmanager
    def visit(self, **options):
        """A visitor, who must not have done certain things, whatever was looked at."""
        with Visitor(self.playwright, self.server.address, **options) as visitor:
            yield visitor
            self.expect(not visitor.asked, f"asked for {sorted(visitor.asked)}")
            self.expect(not visitor.errors, f"errors of scripts: {visitor.errors}")

    @contextlib.contextmanager
    def ran(self, name=LESSON, **options):
        """A lesson that a visitor has opened and run."""
        with self.visit(**options) as visitor:
            lesson = visitor.open(name)
            lesson.run_all()
            yield lesson
            self.expect(not lesson.problems(), f"{name}: {lesson.problems()}")

    def expect(self, holds, otherwise):
        if not holds:
            self.wrong.append(otherwise)
            print("WRONG:", otherwise, flush=True)


def start(check):
    """The bytes of a first visit, and the seconds to a ready kernel: first, and again."""
    with tempfile.TemporaryDirectory() as profile:
        for name in ("first visit", "second visit"):
            with check.visit(profile=profile) as visitor:
                begun = time.perf_counter()
                lesson = visitor.open(LESSON)
                ready = time.perf_counter() - begun
                if name.startswith("first"):
                    count, plain, packed = check.server.bytes_sent()
                    sizes = f"{count} files, {plain / 1e6:.1f} MB, {packed / 1e6:.1f} MB with gzip"
                    print(f"first visit: {sizes}", flush=True)
                lesson.run_all()
                whole = time.perf_counter() - begun - ready
                print(f"{name}: ready after {ready:.1f} s; all cells of 03 run in {whole:.1f} s")


def lessons(check):
    """Every lesson from start to end, in the page that shows one notebook."""
    with check.visit() as visitor:
        for path in sorted((check.server.folder / "files").glob(check.lessons)):
            lesson = visitor.open(path.name)
            begun = time.perf_counter()
            lesson.run_all()
            seconds, problems = time.perf_counter() - begun, lesson.problems()
            words = lesson.page.get_by_text("Picture:").count()
            print(f"{path.stem}: {seconds:.1f} s, {words} pictures in words", flush=True)
            check.expect(not problems, f"{path.stem}: {problems}")
            check.expect(not words, f"{path.stem}: pictures without a drawing")
            lesson.shut_down()
            lesson.page.close()


def editor(check):
    """The upstream editor: typed, dragged, refused, and how soon an edit is drawn."""
    with check.ran() as lesson:
        work_the_editor(check, lesson)


def work_the_editor(check, lesson, edits=30, warm_up=6):
    """The same in a lesson that was run."""
    panel = lesson.upstream_editor()
    panel.scroll_into_view_if_needed()
    results = panel.locator(".mg-minigrad td")
    box = panel.get_by_role("textbox", name="upstream gradient, ").first
    slider = panel.get_by_role("slider", name="slide upstream gradient, ").first

    def changes(action, name):
        before = results.all_inner_texts()
        action()
        lesson.settle()
        check.expect(results.all_inner_texts() != before, f"the editor stays: {name}")

    changes(lambda: (box.fill("5"), box.press("Enter")), "a number typed")
    box.focus()  # shows its slider
    changes(lambda: drag(lesson.page, slider), "a slider dragged")
    changes(lambda: slider.press("ArrowRight"), "a slider by key")
    good = results.all_inner_texts()
    box.fill("five")
    box.press("Enter")
    lesson.settle()
    check.expect(results.all_inner_texts() == good, "the editor takes a word for a number")
    handle, texts = box.element_handle(), [str(3 + number % 2) for number in range(edits)]
    both = [lesson.page.evaluate(ACT_AND_WAIT, [handle, "type", text]) for text in texts]
    times = [seen for _, seen in both[warm_up:]]
    figures = f"{statistics.median(times):.0f} ms, 95th percentile {sorted(times)[-2]:.0f} ms"
    print(f"an edit to its last frame: median {figures}")
    check.expect(not lesson.problems(), f"the editor: {lesson.problems()}")


def drag(page, handle):
    place = handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=6)
    page.mouse.up()


def gallery(check):
    """Every widget answers a press of the mouse, and one of a key."""
    with check.ran("90-pick-a-widget.ipynb") as lesson:
        panels = lesson.page.locator(".mg-panel")
        for number in range(panels.count()):
            panel = panels.nth(number)
            title = panel.inner_text().strip().split("\n")[0][:40]
            for name, press in (("mouse", lambda one: one.click()), ("key", by_key)):
                before, changed = panel.inner_html(), False
                controls = panel.locator(
                    "button:visible:enabled:not(.mod-active), input[type=checkbox]:visible"
                )
                for one in controls.all()[:4]:
                    press(one)
                    lesson.settle()
                    changed = changed or panel.inner_html() != before
                    if changed:
                        break
                boxes = panel.locator("input[type=text]:visible:enabled")
                if not changed and boxes.count():
                    boxes.first.fill("7" if name == "mouse" else "8")
                    boxes.first.press("Enter")
                    lesson.settle()
                    changed = panel.inner_html() != before
                check.expect(changed, f"{title!r} does not answer: {name}")
            print(f"{title!r} answers")


def by_key(control):
    control.focus()
    control.press("Space")


def kept(check):
    """Exercises solved and cells changed, after a reload and after a newer site."""
    with check.visit() as visitor:
        lesson = visitor.open(LESSON)
        failed = lesson.execute(SOLUTIONS).strip()
        check.expect(failed == "[]", f"solutions that do not pass: {failed}")
        lesson.page.evaluate(
            """async () => { const panel = window.jupyterapp.shell.currentWidget;
            const cell = panel.content.widgets.find(one => one.model.type === 'code');
            cell.model.sharedModel.setSource('print(6 * 7)  # mine');
            await panel.context.save(); }"""
        )
        program = "print(progress())"
        before = lesson.execute(f"from minigrad.classroom import progress\n{program}")
        lesson.page.close()
        stored = check.server.folder / "files" / LESSON
        newer = stored.read_text("utf-8")
        try:
            stored.write_text(newer.replace("import minigrad", "import minigrad  # newer"), "utf-8")
            lesson = visitor.open(LESSON)
            source = lesson.page.evaluate(
                """() => window.jupyterapp.shell.currentWidget.content.widgets
                .find(one => one.model.type === 'code').model.sharedModel.getSource()"""
            )
        finally:
            stored.write_text(newer, "utf-8")
        check.expect("# mine" in source, "a newer site overwrites a changed lesson")
        after = lesson.execute(f"from minigrad.classroom import progress\n{program}")
        check.expect(before == after and "01-1" in after, f"progress is lost: {after}")
        print("solved exercises and changed cells are there after a reload")


def phone(check):
    """Lesson 03 on 390 pixels: nothing scrolls sideways, and the editor is used."""
    options = {"size": (390, 844), "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
    with check.ran(**options) as lesson:
        wide = lesson.page.evaluate("() => document.documentElement.scrollWidth")
        check.expect(wide <= 390, f"on a phone the page is {wide} pixels wide")
        panel = lesson.upstream_editor()
        before = panel.locator(".mg-minigrad td").all_inner_texts()
        box = panel.get_by_role("textbox", name="upstream gradient, ").first
        box.tap()
        box.fill("7")
        box.press("Enter")
        lesson.settle()
        after = panel.locator(".mg-minigrad td").all_inner_texts()
        check.expect(before != after, "on a phone the editor stays")
        print("a phone of 390 pixels: lesson 03 runs, and its editor follows")


def memory(check):
    """What a tab with lesson 03 takes: all of it, and Python's part."""
    with check.ran() as lesson:
        heap = lesson.execute("import pyodide_js; print(pyodide_js._module.HEAPU8.length)")
        print(f"memory: Python in the page {int(heap) / 1e6:.0f} MB", end="")
        print(f", the tab's process {pages_bytes() / 1e6:.0f} MB")


def pages_bytes():
    """The largest of our browser's processes that show pages."""
    processes = psutil.Process().children(recursive=True)
    renderers = [one for one in processes if "--type=renderer" in one.cmdline()]
    return max(one.memory_full_info().uss for one in renderers)


def sixteen(check):
    """A class on one small server: all that a first visit loads, asked for by sixteen at once; and
    four tabs at once, for sixteen browsers are more than the machine of this check may carry."""
    with check.visit() as visitor:
        visitor.open(LESSON)
    paths = check.server.answered(200)

    def load(_):
        return [len(urlopen(check.server.address + quote(path)).read()) for path in paths]

    begun = time.perf_counter()
    with ThreadPoolExecutor(16) as learners:
        loaded = list(learners.map(load, range(16)))
    check.expect(all(one == loaded[0] for one in loaded), "not everybody got the same files")
    print(f"16 first visits served at once: {time.perf_counter() - begun:.1f} s", flush=True)
    with contextlib.ExitStack() as stack:
        visitors = [stack.enter_context(check.visit()) for _ in range(4)]
        begun = time.perf_counter()
        pages = [visitor.context.new_page() for visitor in visitors]
        for page in pages:
            address = Lesson.place.format(address=f"{check.server.address}/notebooks", path=LESSON)
            page.goto(address, wait_until="commit")
        for page in pages:
            page.wait_for_function(IDLE, polling=500, timeout=600_000)
        print(f"4 browsers at once: the last one ready after {time.perf_counter() - begun:.0f} s")


LOOKS = (start, lessons, editor, gallery, kept, phone, memory, sixteen)
PARTS = {look.__name__: look for look in LOOKS}


def main():
    parser = argparse.ArgumentParser(prog="python3 run.py bench site")
    parser.add_argument("site", type=Path, help="what run.py site has built")
    parser.add_argument("--only", default=",".join(PARTS), help="parts: " + ", ".join(PARTS))
    parser.add_argument("--lessons", default="*.ipynb", help="a pattern, for the part of this name")
    options = parser.parse_args()
    if unknown := set(options.only.split(",")) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    with sync_playwright() as playwright:
        wrong = []
        for name in options.only.split(","):
            with Server(options.site / "live") as server:
                check = Check(playwright, server, options.lessons)
                PARTS[name](check)
                missing = {p for p in server.answered(404) if "favicon" not in p}
                check.expect(not missing, f"not found: {sorted(missing)}")
                wrong += check.wrong
    sys.exit("\n".join(["Wrong:", *wrong]) if wrong else 0)


if __name__ == "__main__":
    main()
