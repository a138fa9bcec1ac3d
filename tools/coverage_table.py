"""Write docs/torch-coverage.md: what of PyTorch's names is in minigrad, and what is not.

    python -m tools.coverage_table

Both packages are asked; only the headings, and what is no part of PyTorch's interface, are listed
here by hand. A name counts for PyTorch if it is public and has a docstring.
"""
import ast
import functools
import inspect
import re
import textwrap
from importlib import import_module
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).resolve().parents[1] / "docs" / "torch-coverage.md"

NAMESPACES = {  # name -> what it holds
    "torch": "functions and types",
    "torch.Tensor": "methods and attributes",
    "torch.autograd": "running and checking the backward pass",
    "torch.autograd.functional": "Jacobians and Hessians",
    "torch.autograd.graph": "what is saved, edges, hooks on several tensors",
    "torch.func": "functions of functions",
    "torch.linalg": "linear algebra",
    "torch.special": "special functions",
    "torch.nn": "modules",
    "torch.nn.functional": "layers and losses as functions",
    "torch.nn.init": "how parameters start",
    "torch.nn.utils": "clipping gradients, parameters as one vector",
    "torch.optim": "optimizers",
    "torch.optim.lr_scheduler": "schedules of learning rates",
    "torch.testing": "whether results are close",
    "torch.utils.checkpoint": "memory saved by computing again",
    "torch.utils.data": "datasets and batches",
}

# Headings for what is not there; a name comes under the first one that fits.
KINDS = {
    "complex numbers": r"complex|angle|conj|polar$|resolve_neg|^c(double|float|half)$|^chalf$"
    r"|^(is_)?(real|imag|neg)$",
    "sparse tensors": r"sparse|coalesce|to_dense|dense_dim|(?<!with)_indices|^(indices|values)|spmm"
    r"|^smm$|addmm$",
    "quantization and small numbers": r"quant|^q_|^qu?int|^qscheme|int_repr|^(u?int|bits?|float)\d|^bit$",
    "devices, memory and storage": r"cuda|xpu|mtia|ipu|maia|mps|vulkan|mkldnn|storage|layout|memory_format"
    r"|pinned|device|share|[Ss]tream|Event|data_ptr|^set_|volatile|is_meta|is_cpu|as_subclass|from_file"
    r"|dlpack|grad_dtype|module_load|is_distributed|is_nested|name$|has_names|padded|dim_order|asarray"
    r"|frombuffer|^(load|save)$",
    "threads, settings and compilation": r"thread|determin|autocast|flush_denormal|precision|warn_always"
    r"|default_tensor_type|compile|Script|^(fork|wait|export|cond|while_loop)$|^[Ss]ym(_|Bool|Float|Int)"
    r"|Lazy|has_(mkl|lapack|openmp|spectral)|GradScaler|inference|anomaly|Data[Pp]arallel|SyncBatch"
    r"|multithreading|functionalize|stack_module|debug_unwrap|Uninitialized|batch_norm_mod|Error$"
    r"|NestedIO|layout_policy|rearrange",
    "random numbers": r"^(bernoulli|multinomial|normal|poisson|binomial|cauchy|exponential|geometric"
    r"|log_normal|uniform|random|rand\w*|(initial_)?seed|Generator|default_generator|rrelu|RReLU)_?$"
    r"|gumbel|rng_state",
    "losses and distances": r"loss|Loss|pdist|distance",
    "layers": r"[RL](NN|STM)|GRU|rnn|lstm|gru|Transformer|ttention|\dd(_with_indices)?_?$|conv|Pad|Norm"
    r"|_norm$|ropout|[Ss]huffle|mbedding|ilinear|grid|Upsampl|upsampl|[Ff]old|interpolate|Softmax|_mm$",
    "windows, spectra and histograms": r"window|stft|histogram",
    "factorizations and solvers": r"svd|qr$|^lu|cholesky|eig|lstsq|solve|lobpcg|pca|^ge|^orm|orgqr|matrix_",
    "special functions": r"gamma|^i0|nextafter|frexp",
    "copies where there are views": r"_copy$",
    "in-place forms": r"_$",
    "the rest": r"",
}

# Arguments that PyTorch has nearly everywhere: said once, on top of the page.
EVERYWHERE = {"out", "layout", "device", "pin_memory", "memory_format", "generator", "self", "input",
              "size_average", "reduce", "foreach", "capturable", "fused", "non_blocking"}  # fmt: skip

# What PyTorch's stubs and signatures name, and its functions refuse, or what means nothing to a user.
NO_ARGUMENTS = {"full": {"names"}, "requires_grad_": {"mode"}, "enable_grad": {"orig_func"}}

NO_API = {  # what PyTorch imports for itself
    "has_torch_function", "handle_torch_function", "has_torch_function_unary", "boolean_dispatch",
    "has_torch_function_variadic", "assert_int_or_pair", "Callable", "Optional", "DType",
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "factory_kwargs", "variable",
    "ScalingType", "SwizzleType", "classproperty", "Mapping", "Sequence", "DeviceType", "cast",
    "get_file_path", "prepare_multiprocessing_environment", "compiled_with_cxx11_abi", "AliasDb",
    "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12", "swap_in_optimizer_params_and_state",
    "AggregationType", "DispatchKey", "Tag", "import_ir_module", "import_ir_module_from_buffer",
    "merge_type_from_type_comment", "parse_ir", "parse_schema", "parse_type_comment", "unify_type_list",
}  # fmt: skip


def main():
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written: {PAGE.name}")


def page():
    """The whole page."""
    import torch

    torch_version = torch.__version__.partition("+")[0]
    rows, chapters = [], []
    for name, holds in NAMESPACES.items():
        theirs, ours = both(name)
        public = names(name, theirs)
        there = [n for n in public if hasattr(ours, n)]
        anchor = name.replace(".", "").lower()
        rows.append(f"| [{name}](#{anchor}) | {holds} | {len(there)} | {len(public)} |")
        chapters.append(chapter(name, theirs, ours, there, [n for n in public if n not in there]))
    return PREFACE.format(torch_version, "\n".join(rows)) + "".join(chapters)


PREFACE = """# What of PyTorch is in minigrad

Written by `python -m tools.coverage_table`, which asks PyTorch {} and minigrad; not edited by hand.

A name counts if it is public and has a docstring in PyTorch. That minigrad has it says no more than
that; whether it does the same is what `tests/engine` compares. Arguments that PyTorch takes and
minigrad does not are named in parentheses, where they can be told. What minigrad does not have is an
`AttributeError` there.

Said once: there are no complex, sparse or quantized tensors, and no device but the CPU. An argument
`out`, `layout`, `device`, `pin_memory`, `memory_format`, `non_blocking`, `generator`, `foreach`,
`fused` or `capturable`, and the deprecated `size_average` and `reduce` of losses, may be missing.
`manual_seed` makes random numbers repeatable, but they are not PyTorch's.

| | what | in minigrad | of |
| --- | --- | --- | --- |
{}
"""


def both(name):
    """The namespace `name` of PyTorch, and minigrad's."""
    if name == "torch.Tensor":
        return import_module("torch").Tensor, import_module("minigrad").Tensor
    return import_module(name), import_module(name.replace("torch", "minigrad", 1))


def names(name, namespace):
    """The public, documented names of a namespace of PyTorch."""
    listed = dir(namespace) if name == "torch" else getattr(namespace, "__all__", dir(namespace))
    return [n for n in sorted(set(listed))
            if n[0] != "_" and n not in NO_API and counts(name, getattr(namespace, n))]  # fmt: skip


def counts(name, value):
    """Whether something public belongs to what users are told about."""
    import torch

    if isinstance(value, ModuleType) or not getattr(value, "__doc__", None):
        return isinstance(value, torch.dtype)
    if name == "torch.Tensor":
        return True
    if isinstance(value, type):
        return not value.__module__.startswith("torch._C") and not value.__name__.endswith("Storage")
    return callable(value) and type(getattr(value, "__self__", None)).__name__ != "PyCapsule"


def chapter(name, theirs, ours, there, absent):
    """A namespace: what is there, and what is not, by kind."""
    text = f"\n## {name}\n"
    if there:
        shown = [shown_with_missing(n, getattr(theirs, n), getattr(ours, n)) for n in there]
        text += f"\nIn minigrad:\n\n{wrapped(shown)}\n"
    kinds = {kind: [] for kind in KINDS}
    for n in absent:
        kinds[next(kind for kind, pattern in KINDS.items() if re.search(pattern, n))].append(f"`{n}`")
    if absent:
        text += "\nNot in minigrad:\n\n"
        for kind, (first, *more) in ((kind, found) for kind, found in kinds.items() if found):
            text += wrapped([f"{kind}: {first}", *more], "- ") + "\n"
    return text


def wrapped(items, bullet=""):
    """Items as a paragraph, or as the item of a list."""
    return textwrap.fill(
        ", ".join(items), 100, initial_indent=bullet, subsequent_indent=" " * len(bullet),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def shown_with_missing(name, theirs, ours):
    """A name, and in parentheses the arguments that minigrad does not take."""
    wanted, taken = arguments(theirs) or declared().get(theirs), arguments(ours)
    if wanted is None or taken is None:
        return f"`{name}`"
    not_meant = EVERYWHERE | NO_ARGUMENTS.get(name, set())
    missing = [a for a in wanted if a not in taken and a not in not_meant and a[0] != "_"]
    return f"`{name}` (not {', '.join(f'`{a}`' for a in missing)})" if missing else f"`{name}`"


def arguments(value):
    """The names of a function's arguments; None if they cannot be told."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    return [p.name for p in parameters]


@functools.cache
def declared():
    """The arguments of PyTorch's compiled functions and methods, from the stubs that come with it."""
    import torch

    found = {}
    for stub, scope in (("_VariableFunctions.pyi", torch), ("__init__.pyi", torch.Tensor)):
        tree = ast.parse((Path(torch._C.__file__).parent / "_C" / stub).read_text(encoding="utf-8"))
        if scope is torch.Tensor:
            (tree,) = [c for c in tree.body if isinstance(c, ast.ClassDef) and c.name == "TensorBase"]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and hasattr(scope, node.name):
                given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                if not any("ellipsis" in ast.unparse(a.annotation) for a in given if a.annotation):
                    known = found.setdefault(getattr(scope, node.name), [])
                    known += [a.arg for a in given if a.arg not in known]
    return found


if __name__ == "__main__":
    main()
