"""Element types: what is inferred, how they promote, where gradients get their type from."""
import itertools

import numpy as np
import pytest

from tests.engine.both import attempt, same

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
PAIRS = """x + y; x - y; x * y; x / y; x ** y; x == y; x != y; x < y; x <= y; x > y; x >= y; x & y; x | y; x ^ y
    torch.where(x > 0, x, y); torch.cat([x, y]); torch.stack([x, y]); torch.add(x, y, alpha=2); x.to(y.dtype)
    torch.sub(x, y, alpha=1.5); torch.add(x, y, alpha=True); x.clone().add_(y); x.clone().mul_(y)
    x.clone().sub_(y); x.clone().div_(y); x.clone().copy_(y); x.clone().add_(y, alpha=2)
    x @ y; x.dot(y); torch.outer(x, y)"""
SCALARS = """x + c; c + x; x - c; c - x; x * c; x / c; c / x; x ** c; c ** x; x == c; x < c; x >= c; x & c; c | x
    torch.where(x > 0, x, c); torch.add(x, c, alpha=2); x.clone().add_(c); x.clone().mul_(c); x.clone().sub_(c)
    x.clone().div_(c); x.clone().pow_(c); x.clone().fill_(c); x.sub(c); x.mul(c); x.div(c); x.pow(c)
    torch.full_like(x, c)"""
SINGLES = """-x; +x; ~x; abs(x); x.sign(); x.floor(); x.ceil(); x.round(); x.trunc(); x.relu(); x.square(); x.exp()
    x.log(); x.sqrt(); x.rsqrt(); x.tanh(); x.sigmoid(); x.sin(); x.reciprocal(); x.sum(); x.sum(0); x.mean()
    x.norm(); x.argmax(); x.all(); x.any(); x.cos(); x.exp2(); x.log1p(); x.expm1(); x.float(); x.long(); x.bool()
    x.double(); x.half(); x.int(); x.tolist(); x.numpy(); x.clone().exp_(); x.clone().neg_(); x.clone().square_()
    x.clone().floor_(); x.clone().relu_(); x.clone().zero_(); x.clone().abs_(); x.clone().sign_(); x.type()
    torch.zeros_like(x); torch.ones_like(x); x.new_zeros(2); x.is_floating_point(); x.element_size(); repr(x)"""


def rows(table):
    return [row.strip() for line in table.splitlines() for row in line.split(";")]


def results(expression, torch, tensors):
    """What the expression comes to, a refusal included, for each of some choices of its names."""
    found = {}
    for label, names in tensors.items():
        try:
            found[label] = eval(expression, {"torch": torch, **names})
        except Exception as error:
            found[label] = error
    return found


@pytest.mark.parametrize("expression", rows(PAIRS))
@same
def test_two_tensors(torch, expression):
    def made(values, dtype):
        return torch.tensor(values).to(getattr(torch, dtype))

    return results(expression, torch, {
        f"{a} {b} {shapes}": {"x": made([2, 0, 3] if "x" in shapes else 2, a),
                              "y": made([1, 3, 2] if "y" in shapes else 3, b)}
        for a, b in itertools.product(DTYPES, DTYPES) for shapes in ("xy", "x", "y", "")
    })  # fmt: skip


@pytest.mark.parametrize("expression", rows(SCALARS))
@same
def test_a_tensor_and_a_number(torch, expression):
    return results(expression, torch, {
        f"{a} {c!r} {values}": {"x": torch.tensor(values).to(getattr(torch, a)), "c": c}
        for a in DTYPES for c in (True, False, 2, -1, 0, 1.5, 0.5, -2.0) for values in ([2, 0, 3], 2)
    })  # fmt: skip


@pytest.mark.parametrize("expression", rows(SINGLES))
@same
def test_one_tensor(torch, expression):
    return results(expression, torch, {
        f"{a} {values}": {"x": torch.tensor(values).to(getattr(torch, a))}
        for a in DTYPES for values in ([2, 0, 3], 2, [])
    })  # fmt: skip


# -- creation ----------------------------------------------------------------------------------------


DATA = """1.0; True; [1, 2]; [1, 2.0]; [True, 2]; [True, False]; []; [[]]; [[], []]; [[1], [2]]; (1, (2, 3)); [1, [2]]; "abc"
    None; [None]; ["a"]; [[1, 2], [3]]; [[1, 2], 3]; range(3); {1: 2}; object; [1.0, [2.0]]
    [2 ** 70]; 2.0 ** 70; float("nan"); [[[1.5]]]; np.array([1.0]); np.array([1], dtype=np.int32); np.float64(2.0); [np.int64(3)]
    np.float32(1.5); np.bool_(True); [np.float64(1.0), 2]; [np.array([1.0, 2.0])]; np.array(1.0); [np.array(1.0), 2.0]
    np.array(["a"]); np.array([1.0], dtype=">f4")
    [torch.tensor(1.0), 2]; [torch.tensor([1.0])]; [torch.ones(2), torch.ones(2)]; [[torch.tensor(1)], [2.5]]; np.zeros((0, 3))"""


@pytest.mark.parametrize("data", rows(DATA))
@same
def test_data(torch, data):
    names = {"torch": torch, "np": np}
    makers = [torch.tensor, torch.as_tensor, torch.FloatTensor, torch.LongTensor, torch.Tensor,
              lambda data: torch.tensor(data, dtype=torch.float64), lambda data: torch.tensor(data, dtype=torch.int32),
              lambda data: torch.tensor(data, dtype=torch.bool), lambda data: torch.tensor(data, requires_grad=True)]  # fmt: skip
    return [attempt(lambda: make(eval(data, names))) for make in makers]


FACTORIES = """torch.zeros(2, 3); torch.zeros((2, 3)); torch.zeros([2]); torch.zeros(()); torch.zeros(2, dtype=torch.int64); torch.ones(0)
    torch.zeros(-1); torch.zeros(2, -3); torch.zeros("a"); torch.zeros(2.0); torch.zeros(torch.Size([2])); torch.ones(2, requires_grad=True)
    torch.full((2,), 3); torch.full((2,), 3.0); torch.full((2,), True); torch.full([2, 1], 1, dtype=torch.float64); torch.full(2, 3)
    torch.eye(2); torch.eye(2, 3); torch.eye(0); torch.eye(2, dtype=torch.int64); torch.eye(-1); torch.arange(3); torch.arange(3.0)
    torch.arange(1, 4); torch.arange(0, 1, 0.3); torch.arange(5, 0, -2); torch.arange(3, dtype=torch.float64); torch.arange(0, 3, 0)
    torch.arange(3, 0); torch.arange(1, 2.5); torch.arange(0); torch.arange(True); torch.linspace(0, 1, 5); torch.linspace(1, 0, 2)
    torch.linspace(0, 1, 1); torch.linspace(0, 10, 3, dtype=torch.int64); torch.linspace(0, 1, 0); torch.linspace(0, 1, -1)
    torch.zeros_like(torch.ones(2, dtype=torch.int32)); torch.ones_like(torch.ones(2), dtype=torch.float64); torch.full_like(torch.ones(2), 7)
    torch.ones(2).new_zeros(3); torch.tensor([1]).new_ones(2); torch.ones(2).new_tensor([1, 2]); torch.ones(2).new_full((2,), 3)
    torch.empty(2).shape; torch.rand(2, 3).shape; torch.randn(3).dtype; torch.randint(5, (2,)).dtype; torch.randperm(4).dtype
    torch.randint(3, 5, (2, 2)).shape; torch.rand(2, dtype=torch.float64).dtype; torch.randn_like(torch.ones(3)).shape; torch.empty(0)
    torch.zeros(2, device="cpu"); torch.zeros(2, dtype=float); torch.tensor([1], dtype=int); torch.tensor([1], dtype="float32")
    torch.FloatTensor(2, 3).shape; torch.LongTensor([1.5, 2]); torch.DoubleTensor([1]); torch.Tensor(2).shape; torch.Tensor(1.5)
    torch.FloatTensor(); torch.Tensor([]); torch.BoolTensor([1, 0]); torch.IntTensor([1]); torch.ByteTensor([1]); torch.HalfTensor([1])
    torch.tensor([1.0], dtype=torch.int64, requires_grad=True); torch.from_numpy(np.arange(3)); torch.is_tensor(1); torch.numel(torch.ones(3))
    torch.zeros(2, requires_grad=True, dtype=torch.int64); torch.ones(2, 3).new_empty(2).shape; torch.empty_like(torch.ones(2, 3)).shape
    torch.logspace(0, 2, 3)"""


@pytest.mark.parametrize("expression", rows(FACTORIES))
@same
def test_factories(torch, expression):
    return attempt(eval, expression, {"torch": torch, "np": np})


@same
def test_random_numbers_repeat_with_the_seed(torch):
    def drawn():
        torch.manual_seed(3)
        return torch.rand(4), torch.randn(4), torch.randint(9, (4,)), torch.randperm(5)

    first, second = drawn(), drawn()
    uniform, normal = torch.rand(2000), torch.randn(20000)
    return (
        [bool((a == b).all()) for a, b in zip(first, second)], bool((uniform >= 0).all() and (uniform < 1).all()),
        abs(uniform.mean().item() - 0.5) < 0.1, abs(normal.mean().item()) < 0.1, sorted(first[3].tolist()),
        abs((normal * normal).mean().item() - 1) < 0.2,
    )  # fmt: skip


# -- operands ----------------------------------------------------------------------------------------


OPERANDS = """x + y; y + x; x - y; y - x; x * y; y * x; x / y; y / x; x ** y; y ** x; x == y; x != y; x < y; y >= x; x @ y; x & y; y | x
    torch.add(x, y); x.add_(y); x.mul_(y); torch.exp(y); torch.mm(x, y); torch.cat([x, y]); torch.stack([y]); x[y]; torch.sum(y)
    torch.abs(y)"""


@pytest.mark.parametrize("expression", rows(OPERANDS))
@same
def test_operands_that_are_no_tensors(torch, expression):
    return results(expression, torch, {
        repr(y): {"x": torch.tensor([1.0, 2.0]), "y": y}
        for y in (None, "a", [1.0, 2.0], (1, 2), np.float32(2), np.int64(1), np.array([1.0, 2.0]), {}, object, 2 ** 70)
    })  # fmt: skip


# -- where gradients get their type ------------------------------------------------------------------


@same
def test_gradients_have_the_leafs_dtype(torch):
    single = torch.tensor([1.0, 2.0], requires_grad=True)
    double = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    half = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
    number = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    out = (single * double + half / single - number ** single).sum() + single.double().sum() + (half * number).sum()
    out.backward()
    return out, single.grad, double.grad, half.grad, number.grad


@same
def test_gradients_stop_at_whole_numbers(torch):
    x = torch.tensor([1.5, -2.5], requires_grad=True)
    plain = [x.long(), x > 0, x.argmax(), x.bool(), x == x, x.int()]
    flat = [x.floor(), x.round(), x.ceil(), x.trunc(), x.sign()]
    sum(y.sum() for y in flat).backward()
    return plain, flat, x.grad


# -- out of the tensor -------------------------------------------------------------------------------


OUT = """x.numpy(); np.asarray(x); x.tolist(); x.item(); float(x); int(x); bool(x); len(x); list(x); x.detach().numpy(); x * np.ones(2)
    np.ones(2) * x; x.__index__(); [1, 2, 3][x]; range(x); hash(x) == id(x); x in [x]; x.sum().item(); complex(x); round(x); x.T.tolist()
    not x; x and 1; x.dim(); x.size(0); x.size(5); x.stride(); x.numpy(force=True); np.array(x.detach()); x.nbytes; abs(x)
    x.detach().numpy().dtype.name; str(np.array([1, 2]) + x.detach()); x.type("torch.DoubleTensor"); x.is_contiguous(); x.nelement(); 1 in x"""


@pytest.mark.parametrize("expression", rows(OUT))
@same
def test_out_of_the_tensor(torch, expression):
    return results(expression, torch, {
        f"{values} {dtype} {grad}": {"np": np, "x": torch.tensor(values, dtype=getattr(torch, dtype), requires_grad=grad)}
        for values in ([1.0, 2.0], [1.0], 2.0, []) for dtype in ("float32", "int64", "bool")
        for grad in (False, True) if not grad or dtype == "float32"
    })  # fmt: skip


@same
def test_numpy_shares_memory(torch):
    x = torch.tensor([1.0, 2.0])
    array = x.numpy()
    array[0] = 5
    y = torch.from_numpy(array)
    y[1] = 7
    return x, y, array
