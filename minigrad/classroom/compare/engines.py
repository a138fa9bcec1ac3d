"""The two engines of every comparison: minigrad, and PyTorch where it can be had.

This is the only module of the classroom that imports torch, and only when first asked to: the
import takes seconds and doubles a kernel's memory. A widget must not wait for it, so it asks with
`torch_later`, which imports in a background thread and calls back on the kernel's own event loop.
"""

import asyncio
import contextlib
import contextvars
import importlib.util
import sys
import threading
from collections.abc import Callable
from types import ModuleType

import minigrad  # noqa: F401  handed on, as engines.minigrad

_lock = threading.Lock()
_broken = False  # torch is on the disk but its import failed
_warm = False  # a first backward has run: it alone takes half a second


def torch_installed() -> bool:
    """Whether importing torch is worth trying. Imports nothing."""
    with contextlib.suppress(ImportError, ValueError):
        return not _broken and importlib.util.find_spec("torch") is not None
    return False


def torch_if_loaded() -> ModuleType | None:
    """The torch module if it is imported and has run once, else None. Never waits."""
    return sys.modules.get("torch") if _warm else None


def torch_now() -> ModuleType | None:
    """The torch module, imported if need be (seconds, the first time); None where there is none."""
    global _broken, _warm
    if not torch_installed():
        return None
    with _lock:
        try:
            import torch

            if not _warm:
                once = torch.ones(1, requires_grad=True)
                (once * once).backward(torch.ones(1))
                _warm = True
        except (ImportError, OSError, AttributeError, RuntimeError):
            _broken = True  # a damaged installation: the lesson goes on with stored answers
            return None
    return torch


def later_is_possible() -> bool:
    """Whether something can be done after the cell that runs: in a kernel, not in a script."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def torch_later(then: Callable[[], object], delay: float = 0.2) -> None:
    """Import torch in the background, then call `then()` on the running event loop.

    The delay lets the cell that asked be drawn first.
    """
    loop = asyncio.get_running_loop()
    # Widgets answer within the context of the cell that made them; a bare thread has none, and
    # ipykernel 7.0 then refuses to send.
    context = contextvars.copy_context()

    def work():
        torch_now()
        with contextlib.suppress(RuntimeError):  # the kernel has shut down meanwhile
            loop.call_soon_threadsafe(then, context=context)

    loop.call_later(delay, lambda: threading.Thread(target=work, daemon=True).start())


def version(torch: ModuleType) -> str:
    """The version to print, without the build: 2.13.0+cpu is 2.13.0."""
    return str(torch.__version__).split("+")[0]
