"""torch is imported late, in the background, and never in the way."""

import asyncio
import subprocess
import sys
import textwrap
import threading

from minigrad.classroom.compare import engines


def test_on_a_running_loop_torch_comes_in_the_background_and_calls_back_on_the_loop():
    """In a process of its own, where torch is not imported yet, as in a learner's kernel."""
    code = textwrap.dedent("""
        import asyncio, sys, threading
        from minigrad.classroom import widgets
        from minigrad.classroom.compare import engines

        async def main():
            arrived, turns = asyncio.Event(), 0
            engines.torch_later(lambda: (
                arrived.set() if threading.current_thread() is threading.main_thread()
                else sys.exit("called in the wrong thread")))
            assert "torch" not in sys.modules and engines.torch_if_loaded() is None
            while not arrived.is_set():
                await asyncio.sleep(0.01)
                turns += "torch" in sys.modules  # half imported
            assert turns > 5, "the loop stood still while torch was imported"
            assert engines.torch_if_loaded() is sys.modules["torch"]

        asyncio.run(main())
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_editor_shown_in_a_kernel_says_loading_and_then_fills_its_column():
    code = textwrap.dedent("""
        import asyncio, sys
        from minigrad.classroom import widgets

        async def main():
            editor = widgets.UpstreamEditor(lambda x: x * x, [1, 2])
            bundle = editor._repr_mimebundle_()
            assert "torch" not in sys.modules
            assert "loading PyTorch" in editor.html
            while ", live" not in editor.html:
                await asyncio.sleep(0.01)
            checks = editor.html.partition("mg-checks")[2].partition("mg-sums")[0]
            assert checks.count("+4") == 2  # by nudging, too

        asyncio.run(asyncio.wait_for(main(), 120))
    """)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_kernel_that_ends_while_torch_is_imported_ends_quietly():
    code = textwrap.dedent("""
        import asyncio
        from minigrad.classroom.compare import engines

        async def main():
            engines.torch_later(lambda: None, delay=0)
            await asyncio.sleep(0.1)

        asyncio.run(main())
    """)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0 and "Error" not in run.stderr


def test_without_torch_the_callback_still_comes(no_torch):
    async def main():
        arrived = asyncio.Event()
        engines.torch_later(arrived.set, delay=0)
        await asyncio.wait_for(arrived.wait(), 120)

    assert engines.torch_now() is None and not engines.torch_installed()
    finished = []
    thread = threading.Thread(target=lambda: finished.append(asyncio.run(main())))
    thread.start()
    thread.join()
    assert finished == [None]
