"""Messages: what the engine says, in PyTorch's words, when backward cannot do what is asked.

They are copied to the letter, because a learner will meet them in PyTorch and search for them.
"""

import sys
import warnings

_HOME = __name__.rpartition(".")[0] + "."


def warn(text, category=UserWarning):
    """Warn, and name the line of the user's program that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_HOME):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def type_name(value):
    """The name of a value's type as PyTorch's messages have it: "int", "numpy.ndarray"."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


SCALAR_ONLY = "grad can be implicitly created only for scalar outputs"
NO_HISTORY = "element {} of tensors does not require grad and does not have a grad_fn"
MISMATCH = (
    "Mismatch in shape: grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}."
)
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved tensors after calling backward."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.{}Tensor {}]{} is at version {}; expected version {} instead. Hint: "
)
HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY_MODE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!"
)
GRAD_OF_A_RESULT = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)
CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is "
    "not supported, please use out-of-place `.detach()` instead"
)

# Leaves and flags.
NOT_A_LEAF = "you can only change requires_grad flags of leaf variables."
NOT_A_LEAF_OFF = (
    f"{NOT_A_LEAF} If you want to use a computed variable in a subgraph that doesn't require "
    "differentiation use var_no_grad = var.detach()."
)
NO_RETAIN = "can't retain_grad on Tensor that has requires_grad=False"
NO_HOOK = "cannot register a hook on a tensor that doesn't require gradient"
WRONG_GRAD_SIZE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that "
    "the gradient and the tensor are the same size"
)
WRONG_GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The "
    "gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set "
    "the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
    "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
    "downstream systems that assume they match."
)

# Changes in place.
LEAF_IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF_IN_PLACE = f"a view of {LEAF_IN_PLACE}"
NO_DETACH_OF_A_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
    "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
    "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
    "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
VIEW_REFUSED = {  # {where a view comes from: why it must not be changed in place}
    "no_grad": "{}. Given that this use case is ambiguous and error-prone, it is forbidden. You "
    "can clarify your code by moving both the view and the inplace either both inside the no_grad "
    "block (if you don't want the inplace to be tracked) or both outside (if you want the inplace "
    "to be tracked).",
    "several": "{}. This view is the output of a function that returns multiple views. Such "
    "functions do not allow the output views to be modified inplace. You should replace the "
    "inplace operation by an out-of-place one.",
    "Function": "{}. This view was created inside a custom Function (or because an input was "
    "returned as-is) and the autograd logic to handle view+inplace would override the custom "
    "backward associated with the custom Function, leading to incorrect gradients. This behavior "
    "is forbidden. You can fix this by cloning the output of the custom Function.",
}
T_OF_NO_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated "
    "and it will throw an error in a future release. Consider `x.mT` to transpose batches of "
    "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
    "tensor."
)
EXPANDED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)
