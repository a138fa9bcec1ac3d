"""Kernels that are reached through files of this machine instead of TCP ports.

jupyter_client looks for five free ports, lets them go, and the kernel binds them a moment later. By
then another process may have taken one, and the kernel never answers. A socket that is a file in a
folder of its own cannot be taken. Where a system has no such sockets, or its folder for temporary
files has so long a name that no socket can be in it, kernels have ports as usual.
"""

import contextlib
import tempfile
from pathlib import Path

import zmq
from jupyter_client.manager import AsyncKernelManager, KernelManager
from traitlets import HasTraits, default

LONGEST = 70  # of the name of the folder for temporary files; macOS lets a socket's name have 103


def has_sockets():
    return zmq.has("ipc") and len(tempfile.gettempdir()) <= LONGEST


class _OwnFolder(HasTraits):
    """For a manager of one kernel: its connection file and sockets are in a folder of their own."""

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
    """For who waits for the kernel, as nbval does."""


class AsyncLocalKernelManager(_OwnFolder, AsyncKernelManager):
    """For who awaits the kernel, as nbclient does."""


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
