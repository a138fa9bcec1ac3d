"""Kernels that are reached through sockets in files instead of TCP ports.

jupyter_client finds five free ports and lets them go, and the kernel binds them a moment later. By
then another process may have taken one, and the kernel never answers. Nobody can take a socket that
is a file in a folder of its own. If a system has no such sockets, or the name of its folder for
temporary files is too long for them, kernels use ports as usual.
"""

import contextlib
import tempfile
from pathlib import Path

import zmq
from jupyter_client.manager import AsyncKernelManager, KernelManager
from traitlets import HasTraits, default

LONGEST = 70  # name of a folder for temporary files; on macOS a socket's may have 103 letters


def has_sockets():
    return zmq.has("ipc") and len(tempfile.gettempdir()) <= LONGEST


class _OwnFolder(HasTraits):
    """Gives a manager's kernel a folder of its own for its connection file and sockets."""

    @default("transport")
    def _files_if_possible(self):
        return "ipc" if has_sockets() else "tcp"

    @default("connection_file")
    def _in_a_new_folder(self):
        return str(Path(tempfile.mkdtemp(prefix="kernel-"), "kernel.json"))

    def cleanup_ipc_files(self):
        """Also the folder, unless the kernel is only restarted: then its connection file stays."""
        super().cleanup_ipc_files()
        with contextlib.suppress(OSError):
            Path(self.connection_file).parent.rmdir()


class LocalKernelManager(_OwnFolder, KernelManager):
    """For synchronous callers such as nbval."""


class AsyncLocalKernelManager(_OwnFolder, AsyncKernelManager):
    """For asynchronous callers such as nbclient."""


@contextlib.contextmanager
def running_kernel(**options):
    """(manager, client) of a new kernel; the options are those of KernelManager.start_kernel."""
    manager = LocalKernelManager()
    manager.start_kernel(**options)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
