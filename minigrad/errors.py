"""Sentences: what the core says, in PyTorch's words, when something cannot be done."""

import sys
import warnings

from . import dtypes


def warn(text, category=UserWarning):
    """A warning that names the learner's line: the first one outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_HOME):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


_HOME = __name__.rpartition(".")[0] + "."

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
    "supported, please use out-of-place `.detach()` instead"
)


def short_name(node):
    """A node's name as error messages give it: AddBackward0 is Add, PowBackward1 is Pow1."""
    name = node._owner.name()
    return name if "::" in name else name.removesuffix("Backward0").replace("Backward", "")


def modified(array, node, version, expected):
    """The error for a saved tensor whose numbers were changed in place."""
    from . import anomaly

    kind = dtypes.of(array).tensor_name
    hint = (
        "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    if anomaly.enabled:
        hint = (
            "the backtrace further above shows the operation that failed to compute its gradient. "
            "The variable in question was changed in there or anywhere later. Good luck!"
        )
    made_by = ""
    if node is not None:
        made_by = f", which is output {node._output_nr} of {short_name(node)},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.{kind}Tensor {list(array.shape)}]{made_by} is at version {version}; "
        f"expected version {expected} instead. Hint: {hint}"
    )

ASKED_FOR_A_LEAF = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running "
    "autograd.grad(). This is currently not supported."
)
NO_LEAF = "you can only change requires_grad flags of leaf variables."
NO_LEAF_OFF = (
    f"{NO_LEAF} If you want to use a computed variable in a subgraph that doesn't require "
    "differentiation use var_no_grad = var.detach()."
)
NO_GRAD_OF_A_RESULT = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
    "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
    "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf "
    "Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)
NO_DETACH_OF_A_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) "
    "for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and "
    "hence detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
NO_GRAD_OF_INFERENCE = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
)
NO_SAVING_OF_INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
NO_CHANGE_OF_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
    "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
NO_COPY_OF_A_RESULT = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
    "moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn.utils."
    "weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)


def check_grad(tensor, grad):
    """Refuse a `.grad` that backward could not have produced."""
    from .tensor import Tensor

    if not isinstance(grad, Tensor):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"{dtypes.type_name(grad)}"
        )
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    mine, theirs = dtypes.of(tensor._array), dtypes.of(grad._array)
    if mine is not theirs:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{dtypes.CXX_NAMES[theirs.tensor_name]}' to a "
            f"tensor with grad_dtype '{mine.tensor_name}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
            "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
            "caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if grad._array.shape != tensor._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad._array.shape)}' to a tensor "
            f"of size '{list(tensor._array.shape)}'. Please ensure that the gradient and the "
            "tensor are the same size"
        )
