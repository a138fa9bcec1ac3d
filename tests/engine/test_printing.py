"""Tensors print exactly as torch prints them."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minigrad
from tests.engine.both import same

NUMBERS = st.one_of(
    st.sampled_from(
        [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            100.0,
            1e-4,
            1e-5,
            1e8,
            1e9,
            1000.0,
            1001.0,
            float("nan"),
            float("inf"),
            -float("inf"),
            0.12345,
            99999.5,
            1 / 3,
        ]
    ),
    st.integers(-2000, 2000).map(float),
    st.floats(-10, 10),
    st.floats(width=16),
    st.floats(width=32),
    st.floats(),
)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5) | st.tuples(
    st.integers(6, 60)
)
ARRAYS = st.one_of(
    [
        hnp.arrays(
            dtype,
            SHAPES,
            elements=NUMBERS.map(np.dtype(dtype).type),
            fill=st.just(np.dtype(dtype).type(2)),
        )
        for dtype in ("float32", "float64", "float16")
    ]
    + [hnp.arrays(dtype, SHAPES) for dtype in ("int64", "int32", "uint8", "int8", "bool")]
)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@given(ARRAYS, st.booleans(), st.booleans())
def test_any_tensor(array, requires_grad, transposed):
    texts = []
    for engine in torch, minigrad:
        x = engine.tensor(array)
        x = x.transpose(0, -1) if transposed else x
        texts.append(str(x.requires_grad_() if requires_grad and x.is_floating_point() else x))
    assert texts[0] == texts[1]


LIMITS = ([1e8], [1.5, 1e8], [100000008.0], [1e-4], [9.9e-5], [1.5, 1500.0], [1.5, 1501.0])


@pytest.mark.parametrize("numbers", LIMITS, ids=str)
def test_where_powers_of_ten_begin(numbers):
    for dtype in ("float32", "float64"):
        array = np.array(numbers, dtype)
        assert str(torch.tensor(array)) == str(minigrad.tensor(array))


@given(
    st.tuples(*[st.integers(1, 40)] * 2)
    | st.tuples(*[st.integers(1, 12)] * 3)
    | st.tuples(st.integers(900, 1100)),
    st.sampled_from(["float32", "int64", "float64"]),
    st.sampled_from([1.0, 0.37, 1e6, 1e-3]),
)
def test_summaries_and_wide_rows(shape, dtype, step):
    array = (np.arange(int(np.prod(shape))) * step).astype(dtype).reshape(shape)
    assert str(torch.tensor(array) - 3) == str(minigrad.tensor(array) - 3)


@same
def test_suffixes(torch):
    x = torch.tensor([1.5, 2.0], requires_grad=True)
    long = torch.linspace(0, 1, 11, requires_grad=True)
    with torch.no_grad():
        view = (x * 2)[:1]
    tensors = [
        x,
        x * 2,
        x.double(),
        x.detach(),
        x.half(),
        x.sum(),
        x.long(),
        x > 0,
        torch.tensor([]),
        torch.zeros(2, 0),
        torch.zeros(0, dtype=torch.int64),
        torch.zeros(2, 0, requires_grad=True),
        torch.zeros(0, 2).double(),
        x.view(1, 2, 1),
        long,
        long.double(),
        long.exp().reshape(1, -1).double(),
        torch.ones(11, 11, dtype=torch.int32) > 0,
        view,
        torch.ones(40, 1).half(),
        x.clone().copy_(x),
        torch.tensor(7),
        torch.tensor(True),
        torch.tensor(1e10),
        [x, x.int()],
        (x,),
        torch.nn.Parameter(torch.ones(2)),
        torch.tensor([float("nan"), float("inf"), -1.0]),
        torch.tensor([1e-7, 1.0]),
        {"a": x},
    ]
    words = [
        x.shape,
        x.size(),
        torch.Size([]),
        x.dtype,
        torch.long,
        x.device,
        x.shape[1:],
        x.type(),
        torch.bool,
        x.shape + (3,),
        type(x),
    ]
    return (
        [str(t) for t in tensors + words],
        [repr(t) for t in tensors + words],
        f"{x} {x.sum()} {x.sum().detach():.1f} {x.dtype}",
    )


@same
def test_print_options(torch):
    x, texts = torch.arange(30.0).reshape(5, 6) / 7, []
    for options in (
        {"precision": 2},
        {"sci_mode": True},
        {"sci_mode": False},
        {"threshold": 5},
        {"edgeitems": 1, "threshold": 2},
        {"linewidth": 30},
        {"profile": "short"},
        {"profile": "full"},
    ):
        torch.set_printoptions(**options)
        try:
            texts += [str(x), str(x * 1e5), str(torch.arange(1200))]
        finally:
            torch.set_printoptions(profile="default")
    return texts, str(x)


@same
def test_numbers_far_apart_are_printed_without_a_warning(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return str(torch.tensor([1e-300, 1e300], dtype=torch.float64))
