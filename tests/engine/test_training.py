"""A network of the classic tutorials learns to read digits as fast, and as well, as it does with torch."""

import numpy as np
import pytest
import torch

import minigrad
from benchmarks.digits import accuracy, digits, network, same_start, train
from tests.engine.both import compare


@pytest.fixture(scope="module")
def pages():
    """Digits to learn from, and digits in other fonts."""
    return digits(600, seed=1), digits(300, seed=2, for_test=True)


def test_it_builds_unchanged():
    theirs, ours = [network(engine) for engine in (torch, minigrad)]
    assert repr(ours) == repr(theirs)
    assert [(n, tuple(p.shape)) for n, p in ours.named_parameters()] == [
        (n, tuple(p.shape)) for n, p in theirs.named_parameters()
    ]
    assert len(list(ours.parameters())) == 10
    out = ours(minigrad.randn(1, 1, 32, 32))
    assert out.shape == (1, 10)
    ours.zero_grad()
    out.backward(minigrad.randn(1, 10))
    assert all(p.grad.shape == p.shape for p in ours.parameters())


def test_first_gradients_are_the_same(pages):
    (images, classes), _ = pages
    grads = []
    for engine, net in zip((minigrad, torch), same_start()):
        loss = engine.nn.functional.cross_entropy(
            net(engine.tensor(images[:32])), engine.tensor(classes[:32])
        )
        loss.backward()
        grads.append([loss, {name: p.grad for name, p in net.named_parameters()}])
    compare(*grads[::-1], scale=1)


def test_it_learns_as_torch_does(pages):
    learnt, unseen = pages
    ours, theirs = same_start()
    losses = [train(engine, net, *learnt, epochs=4, batch=20, lr=0.02)
              for engine, net in ((minigrad, ours), (torch, theirs))]  # fmt: skip
    np.testing.assert_allclose(losses[0][:30], losses[1][:30], rtol=1e-3)
    right = [accuracy(engine, net, *unseen) for engine, net in ((minigrad, ours), (torch, theirs))]
    assert np.mean(losses[0][:5]) > 2.2 and np.mean(losses[0][-20:]) < 1.7
    assert min(right) > 0.35 and abs(right[0] - right[1]) < 0.1
