"""Transforms: functions that turn a function into its gradient, Jacobian, Hessian, ...

    grad(lambda x: (x ** 3).sum())(x)          # 3x², without requires_grad, without .grad
    grad(grad(torch.sin))(x)                   # they nest

A transform gives `func` fresh tensors in place of its arguments and differentiates with respect to
these. What it returns is cut from the graph again, except where it depends on a tensor that requires
grad outside. Arguments and results may be trees: nested tuples, lists and dictionaries of tensors.
`func` should be pure: what it returns depends on its arguments, and it changes nothing.
Mirrors https://docs.pytorch.org/docs/2.13/func.api.html
"""

import functools
import weakref

from .autograd.functional import gradients, zeros_like
from .grad_mode import enable_grad, is_grad_enabled
from .graph import AccumulateGrad, edge
from .batches import vmap  # noqa: F401
from .namespace import absent, listed, mirror
from .ops.join import stack
from .tensor import Tensor
from .tree import flatten, sketch, transform, unflatten

__all__ = ["grad", "grad_and_value", "vjp", "jvp", "linearize", "jacrev", "jacfwd", "hessian",
           "functional_call", "vmap"]  # fmt: skip


def grad(func, argnums=0, has_aux=False):
    """A function that returns the gradient of `func`, whose result is a 0-d tensor.

    `argnums` (an integer or a tuple) names the positional arguments to differentiate; each gradient is
    nested and shaped like its argument. With `has_aux` `func` returns (result, aux), and the new
    function (gradient, aux). RuntimeError if the result is no 0-d tensor, or what `argnums` names is
    none.
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def grad_and_value(func, argnums=0, has_aux=False):
    """Like `grad`, but the new function returns (gradient, result); with aux (gradient, (result, aux)).

    Shapes are those of the arguments. RuntimeError if the result is no 0-d tensor.
    """
    name = "grad_and_value(f)(*args)"

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        run = Run(name, func, args, argnums, has_aux, kwargs)
        output = run.result
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(
                f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = unflatten(run.pull((output,), None), run.structure)
        found, value = run.leave(found), run.leave(output)
        return found, ((value, run.leave(run.aux)) if has_aux else value)

    return wrapper


def vjp(func, *primals, has_aux=False):
    """The pair (func(*primals), pull): `pull(v)` is the tuple of products v·J, one for each primal.

    `v` is nested and shaped like the result of `func`; `pull` can be called again and again. With
    `has_aux` a triple, aux last. RuntimeError for a `v` that is nested otherwise or of another shape.
    """
    run = Run("vjp(f, *primals)", func, primals, None, has_aux)
    outputs, structure = run.outputs()

    def pull(cotangents, retain_graph=True, create_graph=None):
        create_graph = is_grad_enabled() if create_graph is None else create_graph
        vs, given = flatten(cotangents)
        if given != structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {sketch(given)}, primal output: "
                f"{sketch(structure)}"
            )
        found = run.pull(outputs, vs, retain_graph, create_graph)
        return run.leave(unflatten(found, run.structure))

    return (run.leave(run.result), pull) + ((run.leave(run.aux),) if has_aux else ())


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The pair (func(*primals), J·tangents), with tuples `primals` and `tangents` of the same shapes.

    There is no forward mode here: it is done by two backward passes, as `linearize` does. With `strict`
    a result that does not depend on the primals is a RuntimeError. TypeError or RuntimeError for
    tangents that are nested otherwise or of another shape.
    """
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    (xs, mine), (us, other) = flatten(primals), flatten(tangents)
    if mine != other:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For example, "
            "if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{mine} and tangents with structure {other}"
        )
    for what, tensors in (("primals", xs), ("tangents", us)):
        if not tensors:
            raise RuntimeError(f"{name}: Expected {what} to contain at least one Tensor.")
        for x in tensors:
            if not isinstance(x, Tensor):
                raise RuntimeError(
                    f"{name}: Expected {what} to only contain Tensors, got {type(x)}"
                )
    for x, u in zip(xs, us):
        if x.shape != u.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the "
                "original Tensor, this is not supported. Tensor is of size "
                f"{list(x.shape)} while the given forward gradient is of size {list(u.shape)}."
            )
    run = Run(name, func, primals, None, has_aux)
    outputs, structure = run.outputs()
    found = run.push(outputs)(us)
    if strict and any(x is None for x in found):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
            "This is not allowed with strict=True."
        )
    found = [zeros_like(out) if x is None else x for x, out in zip(found, outputs)]
    found = run.leave(unflatten(found, structure))
    return (run.leave(run.result), found) + ((run.leave(run.aux),) if has_aux else ())


def linearize(func, *primals):
    """The pair (func(*primals), push): `push(*tangents)` is J·tangents, nested like the result.

    v·J is linear in v, so a backward pass through the backward pass multiplies from the other side.
    RuntimeError for tangents that are nested otherwise or of another shape.
    """
    run = Run("jvp(f, primals, tangents)", func, primals, None, False)
    outputs, structure = run.outputs()
    product = run.push(outputs)

    def push(*tangents):
        us, given = flatten(tangents)
        if given != run.structure:
            raise RuntimeError(
                f"Expected the tangents {given} to have the same argspec as the primals "
                f"{run.structure}"
            )
        for i, (u, x) in enumerate(zip(us, run.inputs)):
            for what in ("shape", "dtype"):
                if getattr(u, what) != getattr(x, what):
                    raise RuntimeError(
                        f"tangent:{i} with {what} {getattr(u, what)} in flattened pytree doesn't "
                        f"match the {what} {getattr(x, what)} of the corresponding primal."
                    )
        found = [zeros_like(out) if x is None else x for x, out in zip(product(us), outputs)]
        return run.leave(unflatten(found, structure))

    return run.leave(run.result), push


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """A function that returns the Jacobian of `func`, computed row by row, a backward pass for each.

    Where `func` returns a tensor and `argnums` is an integer, a tensor of shape (*output.shape,
    *input.shape); else nested like the result of `func`, and within that like the arguments. With
    `has_aux` the pair (Jacobian, aux). `chunk_size` is accepted: rows always come one by one.
    ValueError for a `chunk_size` below 1.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def blocks(run, outputs):
        """For each output and each input a block of shape (*output.shape, *input.shape)."""
        for out in outputs:
            flat = out.reshape(-1)
            rows = [run.pull((flat[k],), None) for k in range(flat.numel())]
            yield [joined([row[j] for row in rows], 0, out, x) for j, x in enumerate(run.inputs)]

    return jacobian_by("vjp(f, *primals)", blocks, func, argnums, has_aux)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that returns the Jacobian of `func`, computed column by column, as `jvp` does.

    Its result is that of `jacrev`; fewer products are needed where there are fewer inputs than outputs.
    """

    def blocks(run, outputs):
        push = run.push(outputs)
        columns = [[[] for _ in run.inputs] for _ in outputs]
        for j, x in enumerate(run.inputs):
            for k in range(x.numel()):
                us = [zeros_like(other) for other in run.inputs]
                us[j].reshape(-1)[k] = 1
                for i, (out, column) in enumerate(zip(outputs, push(us))):
                    columns[i][j].append(zeros_like(out) if column is None else column)
        for out, row in zip(outputs, columns):
            yield [joined(parts, -1, out, x) for parts, x in zip(row, run.inputs)]

    return jacobian_by("jvp(f, primals, tangents)", blocks, func, argnums, has_aux)


def hessian(func, argnums=0):
    """A function that returns the Hessian of `func`: the Jacobian of its Jacobian.

    For a tensor in and a 0-d tensor out the shape is (*input.shape, *input.shape).
    """
    return jacrev(jacrev(func, argnums), argnums)


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False
):
    """`module(*args, **kwargs)` with tensors from a dictionary in place of its own parameters.

    So the module becomes a function of its parameters, which the transforms can differentiate:
    `grad(lambda p: loss(functional_call(module, p, x)))(dict(module.named_parameters()))`. Names are
    those of `named_parameters()` and `named_buffers()`; what is not given stays, which `strict`
    refuses. With `tie_weights` a tensor that the module has under several names is replaced under all
    of them. TypeError for what is no dictionary, RuntimeError for names that the module does not have.
    """
    given = one_dictionary(parameter_and_buffer_dicts)
    members = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    if tie_weights:
        given = tied(members, given)
    if strict:
        problems = []
        for what, names in (("Unexpected", given.keys() - members), ("Missing", members.keys() - given)):
            if names:
                problems.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
        if problems:
            raise RuntimeError(
                f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
                + "\n\t".join(problems)
            )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    swapped = []
    try:
        for name, value in given.items():
            if not (value is None or isinstance(value, Tensor)):
                raise TypeError(f"{value} is not an instance of torch.Tensor")
            path, _, attribute = name.rpartition(".")
            owner = module.get_submodule(path)
            for held in (owner._parameters, owner._buffers):
                if attribute in held:
                    swapped.append((held, attribute, held[attribute]))
                    held[attribute] = value
        return module(*args, **(kwargs or {}))
    finally:
        for held, attribute, value in reversed(swapped):
            held[attribute] = value



# -- how they work -------------------------------------------------------------------------------


def jacobian_by(name, blocks, func, argnums, has_aux):
    """The function that computes a Jacobian by `blocks(run, outputs)` and nests the blocks."""

    @functools.wraps(func)
    def wrapper(*args):
        run = Run(name, func, args, argnums, has_aux)
        outputs, structure = run.outputs()
        with enable_grad():
            found = [unflatten(row, run.structure) for row in blocks(run, outputs)]
        found = run.leave(unflatten(found, structure))
        return (found, run.leave(run.aux)) if has_aux else found

    return wrapper


def joined(parts, dim, out, x):
    """Rows or columns of a Jacobian as a block of shape (*output.shape, *input.shape)."""
    block = stack(parts, dim) if parts else x.detach().reshape(-1)[:0]
    return block.reshape(out.shape + x.shape)


spent = weakref.WeakSet()  # leaves of finished runs: nothing that depends on them alone has a gradient


class Run:
    """`func` applied once, to fresh tensors in place of the arguments to differentiate.

    `inputs` are these tensors, `structure` how they are nested, `result` and `aux` what came out.
    """

    def __init__(self, name, func, args, argnums, has_aux, kwargs={}):
        self.name = name
        self.leaves = []
        with enable_grad():  # whatever holds outside; `func` may switch it off
            args = list(args)
            places = range(len(args)) if argnums is None else chosen(argnums, len(args))
            for i in places:
                args[i] = transform(self.enter, args[i])
            one = isinstance(argnums, int)
            differentiated = args[places[0]] if one else tuple(args[i] for i in places)
            self.inputs, self.structure = flatten(differentiated)
            self.result, self.aux = func(*args, **kwargs), None
            if has_aux:
                if not (isinstance(self.result, tuple) and len(self.result) == 2):
                    raise RuntimeError(
                        f"{name}: output of function f should be a tuple: (output, aux) if has_aux "
                        "is True"
                    )
                self.result, self.aux = self.result
        spent.update(self.leaves)

    def enter(self, x):
        """A fresh tensor; it leads on to `x` where that requires grad itself."""
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.requires_grad:
            return x.view_as(x)
        x = x.detach().requires_grad_()
        self.leaves.append(edge(x))
        return x

    def leave(self, tree):
        """Results as the caller gets them: cut off, unless they depend on what requires grad there."""

        def cut(x):
            if not isinstance(x, Tensor):
                raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
            return x if is_grad_enabled() and depends_on_living(x) else x.detach()

        return transform(cut, tree)

    def outputs(self):
        """The tensors that `func` returned, and how they are nested."""
        outputs, structure = flatten(self.result)
        if not outputs or outputs == [None]:
            raise RuntimeError(
                f"{self.name}: Expected f to be a function that has non-empty output "
                f"(got output = {outputs})"
            )
        for out in outputs:
            if not isinstance(out, Tensor):
                raise RuntimeError(
                    f"{self.name}: expected f(*primals) to return only tensors, got unsupported "
                    f"type {type(out)}"
                )
            if self.name.startswith("vjp") and not out.is_floating_point():
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                    f"Tensor with dtype {out.dtype}"
                )
        return outputs, structure

    def pull(self, outputs, vs, retain_graph=True, create_graph=True):
        """v·J for each input, zeros where nothing depends on it."""
        with enable_grad():
            found = gradients(outputs, self.inputs, vs, create_graph, retain_graph)
            return [zeros_like(x) if g is None else g for g, x in zip(found, self.inputs)]

    def push(self, outputs):
        """A function from tangents, one for each input, to J·tangents: None for a constant output."""
        with enable_grad():
            weights = [zeros_like(out, out.is_floating_point()) for out in outputs]
            pulled = gradients(outputs, self.inputs, weights, create_graph=True)
        floats = [w for w in weights if w.requires_grad]

        def product(tangents):
            with enable_grad():
                found = iter(gradients(pulled, floats, tangents, True, True) if floats else ())
                return [next(found) if w.requires_grad else None for w in weights]

        return product


def one_dictionary(given):
    """Several dictionaries as one; a name must not come twice."""
    if isinstance(given, dict):
        return given
    if not isinstance(given, (list, tuple)):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(given)}"
        )
    merged, repeated = {}, []
    for part in given:
        if not isinstance(part, dict):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        repeated += [name for name in part if name in merged]
        merged.update(part)
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return merged


def tied(members, given):
    """`given` with every value also under the other names of the tensor that it replaces."""
    result = dict(given)
    for name in given:
        names = [other for other in members if members[other] is members.get(name)]
        values = {id(given[other]): given[other] for other in names if other in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. "
                "Consider using tie_weights=False"
            )
        result.update(dict.fromkeys(names, given[name]))
    return result


def chosen(argnums, count):
    """The positions that `argnums` names among `count` arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = []
    for i in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(i, int):
            raise RuntimeError(f"argnum must be int, got: {type(i)}")
        if not -count <= i < count:
            raise RuntimeError(f"Got argnum={i}, but only {count} positional inputs")
        places.append(i % count)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return places


def depends_on_living(x):
    """Whether a gradient of `x` would reach a leaf other than those of finished runs."""
    if not x.requires_grad:
        return False
    stack = [edge(x)]
    seen = set(stack)
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad) and node not in spent:
            return True
        for n in node._next:
            if n is not None and n not in seen:
                seen.add(n)
                stack.append(n)
    return False


mirror(globals(), "generated/torch.func.{}.html")
mirror({"vmap": vmap}, "generated/torch.func.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
