"""What holds wherever pytest begins, in tests/ or in notebooks/."""

import os

# The processes of a whole run share the machine: more threads in each would wait, and busily.
os.environ["OMP_NUM_THREADS"] = "1"  # NumPy and PyTorch read it when they are imported

import nbval.kernel

from tools.kernels import LocalKernelManager

# No lesson that is run here is one's own progress; kernels that tests start inherit this.
os.environ["MINIGRAD_PROGRESS"] = ""

# nbval offers no setting for the kernels that it starts.
nbval.kernel.KernelManager = LocalKernelManager
