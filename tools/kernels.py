"""Kernels that are reached through sockets in files instead of TCP ports, and that start quickly.

jupyter_client finds five free ports and lets them go, and the kernel binds them a moment later. By
then another process may have taken one, and the kernel never answers. Nobody can take a socket that
is a file in a folder of its own. If a system has no such sockets, or the name of its folder for
temporary files is too long for them, kernels use ports as usual.

Most of a kernel's start is importing PyTorch. On Linux, one process imports it and forks the
kernels that `run.py notebooks` uses: each imports minigrad itself, and shares nothing with another.
"""

import atexit
import contextlib
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import zmq
from jupyter_client.manager import AsyncKernelManager, KernelManager
from traitlets import HasTraits, default

# The first is PyTorch and what it imports only with a first backward, SymPy among it.
IMPORTED_BEFORE = ("torch.fx.experimental.symbolic_shapes", "anywidget", "ipykernel.kernelapp")
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


class AsyncForkedKernelManager(_OwnFolder, AsyncKernelManager):
    """For asynchronous callers such as nbclient. The kernel is forked, where that is possible."""

    async def _async_launch_kernel(self, kernel_cmd, **options):
        if sys.platform != "linux" or kernel_cmd[0] != sys.executable:
            return await super()._async_launch_kernel(kernel_cmd, **options)
        arguments = kernel_cmd[kernel_cmd.index("-f") :]
        folder = str(options.get("cwd") or os.getcwd())
        process = ForkedProcess(arguments, folder, options["env"])
        self.provisioner.process = process
        self.provisioner.pid = self.provisioner.pgid = process.pid


class ForkedProcess:
    """What jupyter_client uses of a subprocess.Popen, for a kernel that is another's child."""

    stdin = stdout = stderr = None

    def __init__(self, *order):
        process = _forking_process()
        print(json.dumps(order), file=process.stdin, flush=True)
        self.pid = int(process.stdout.readline())

    def poll(self):
        """None while it runs. How it ended is known to its parent alone."""
        with contextlib.suppress(ProcessLookupError):
            return os.kill(self.pid, 0)
        return 0

    wait = poll  # jupyter_client waits only for what has ended

    def send_signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


@functools.cache
def _forking_process():
    """Ends with this process, as its standard input does, and its kernels end a second later."""
    process = subprocess.Popen(
        [sys.executable, "-P", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for this process
    )
    atexit.register(process.communicate)  # ends its input, and waits for it
    return process


def fork_kernels():
    """For each line of standard input, fork a kernel, which prints its process id."""
    for name in IMPORTED_BEFORE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, let_go)
    for line in sys.stdin:
        if os.fork() == 0:
            return be_kernel(*json.loads(line))


def let_go(*_):
    """The kernels that have ended; until then they look alive."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def be_kernel(arguments, folder, environment):
    from ipykernel.kernelapp import IPKernelApp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()  # what interrupts it reaches what it has started, too, and no other kernel
    print(os.getpid(), flush=True)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    IPKernelApp.launch_instance([f"--IPKernelApp.parent_handle={os.getppid()}", *arguments])


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


if __name__ == "__main__":
    fork_kernels()
