"""The network of the classic tutorials learns to read digits as fast and as well as with torch."""

import numpy as np
import torch

import minigrad
from benchmarks.digits import accuracy, enlarged, network, same_start, train
from minigrad.classroom.lessons.digits import digits
from tests.engine.both import compare


def test_it_builds_unchanged():
    theirs, ours = [network(engine) for engine in (torch, minigrad)]
    assert repr(ours) == repr(theirs)
    shapes = [[(n, tuple(p.shape)) for n, p in net.named_parameters()] for net in (theirs, ours)]
    assert shapes[0] == shapes[1] and len(shapes[1]) == 10
    out = ours(minigrad.randn(1, 1, 32, 32))
    out.backward(minigrad.randn(1, 10))
    assert all(p.grad.shape == p.shape for p in ours.parameters())


def test_it_learns_as_torch_does():
    train_on, test_on = digits()
    (images, classes), unseen = enlarged(train_on, 600), enlarged(test_on, 300)
    ours, theirs = same_start()
    pairs, grads = ((minigrad, ours), (torch, theirs)), []
    for engine, net in pairs:
        loss = engine.nn.functional.cross_entropy(
            net(engine.tensor(images[:32])), engine.tensor(classes[:32])
        )
        loss.backward()
        grads.append([loss, {name: p.grad for name, p in net.named_parameters()}])
    compare(*grads[::-1], scale=1)
    losses = [
        train(engine, net, images, classes, epochs=4, batch=20, lr=0.02) for engine, net in pairs
    ]
    np.testing.assert_allclose(losses[0][:30], losses[1][:30], rtol=1e-3)
    right = [accuracy(engine, net, *unseen) for engine, net in pairs]
    assert np.mean(losses[0][:5]) > 2.2 and np.mean(losses[0][-20:]) < 0.6
    assert min(right) > 0.7 and abs(right[0] - right[1]) < 0.1
