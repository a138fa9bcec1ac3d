"""What holds wherever pytest begins, in tests/ or in notebooks/."""

import os

import nbval.kernel

from tools.kernels import LocalKernelManager

# No lesson that is run here is one's own progress; kernels that tests start inherit this.
os.environ["MINIGRAD_PROGRESS"] = ""

# nbval offers no setting for the kernels that it starts.
nbval.kernel.KernelManager = LocalKernelManager
