"""A convolutional network learns digits, with minigrad and with torch, from the same weights.

    python3 run.py bench digits              both engines, side by side
    python3 run.py bench digits --epochs 10
    python3 run.py bench digits --short      two steps, to try it out

The digits are the course's handwritten ones, enlarged for the five-layer network of the classic
tutorials. Printed are the losses of both engines, how often each is right on digits it has not
seen, and what a step takes on one thread.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import time

import numpy as np
import torch

import minigrad
from minigrad.classroom.lessons.digits import digits


def enlarged(small_digits, count=None):
    """Images (count, 1, 32, 32) of float32, mean 0, variance 1, and their classes (count,)."""
    pixels = small_digits.pixels[:count].reshape(-1, 1, 8, 8)
    images = np.kron(pixels, np.ones((4, 4), np.float32))
    return (images - images.mean()) / images.std(), small_digits.names[:count]


def network(torch):
    """The classic tutorials' network: two convolutions, three linear layers, ten parameters."""
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5)
            self.conv2 = nn.Conv2d(6, 16, 5)
            self.fc1 = nn.Linear(16 * 5 * 5, 120)
            self.fc2 = nn.Linear(120, 84)
            self.fc3 = nn.Linear(84, 10)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            x = torch.flatten(x, 1)
            x = F.relu(self.fc1(x))
            x = F.relu(self.fc2(x))
            return self.fc3(x)

    return Net()


def same_start(seed=0):
    """One network for each engine, with the weights that minigrad draws."""
    minigrad.manual_seed(seed)
    ours, theirs = network(minigrad), network(torch)
    theirs.load_state_dict({n: torch.tensor(p.numpy()) for n, p in ours.state_dict().items()})
    return ours, theirs


def train(torch, net, images, classes, epochs, batch=64, lr=0.01):
    """Stochastic gradient descent with momentum; the loss of every step."""
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    losses = []
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(len(images))
        for start in range(0, len(images), batch):
            picked = order[start : start + batch]
            optimizer.zero_grad()
            output = net(torch.tensor(images[picked]))
            loss = criterion(output, torch.tensor(classes[picked]))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def accuracy(torch, net, images, classes):
    """How often the network is right."""
    with torch.no_grad():
        predicted = net(torch.tensor(images)).argmax(1)
    return (predicted == torch.tensor(classes)).float().mean().item()


def main():
    parser = argparse.ArgumentParser(prog="python3 run.py bench digits")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    train_on, test_on = digits()
    seen = enlarged(train_on, 128 if given.short else None)
    unseen = enlarged(test_on, 100 if given.short else None)
    print(f"{len(seen[1])} digits to learn from, {len(unseen[1])} to test on")
    losses = {}
    for engine, net in zip((minigrad, torch), same_start()):
        name, start = engine.__name__, time.perf_counter()
        losses[name] = train(engine, net, *seen, 1 if given.short else given.epochs)
        took = (time.perf_counter() - start) / len(losses[name])
        right = accuracy(engine, net, *unseen)
        print(
            f"{name:<9} right {100 * right:5.1f} %   loss {losses[name][0]:.4f} to "
            f"{np.mean(losses[name][-20:]):.4f}   {1000 * took:5.1f} ms a step"
        )
    apart = np.abs(np.subtract(*losses.values()))
    print(f"largest difference of the losses in the first 20 steps {apart[:20].max():.1e}")


if __name__ == "__main__":
    main()
