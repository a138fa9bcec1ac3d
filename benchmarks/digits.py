"""A convolutional network learns digits, with minigrad and with torch, from the same weights.

    python3 run.py bench digits              both engines, side by side
    python3 run.py bench digits --epochs 10

The digits are printed ones: drawn with the fonts that come with Matplotlib, each at a random size,
place and angle, some stretched, with noise added. The test digits are drawn with other fonts than
the training digits. The network is the five-layer one of the classic tutorials. Printed are the
losses of both engines, how often each is right on the test digits, and what a step takes on one
thread.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import functools
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

import minigrad

SIDE = 32
TEST_FONTS = (
    "DejaVuSerif.ttf",
    "STIXGeneralItalic.ttf",
    "cmss10.ttf",
    "DejaVuSansMono-Oblique.ttf",
)


def fonts(for_test):
    """The files of Matplotlib's fonts that have digits: some to learn from, others to test with."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    families = ("DejaVuSans", "DejaVuSerif", "STIXGeneral", "cmr", "cmb", "cmss", "cmtt")
    found = [
        path
        for path in sorted(folder.glob("*.ttf"))
        if path.name.startswith(families) and "Display" not in path.name
    ]
    return [path for path in found if (path.name in TEST_FONTS) == for_test]


def digits(count, seed, for_test=False):
    """Images (count, 1, 32, 32) of float32, mean 0, variance 1, and their classes (count,)."""
    from PIL import Image, ImageDraw, ImageFont

    rng = np.random.default_rng(seed)
    files = fonts(for_test)
    load = functools.cache(lambda path, size: ImageFont.truetype(str(path), size))
    images = np.empty((count, 1, SIDE, SIDE), np.float32)
    classes = rng.integers(0, 10, count)
    for image, digit in zip(images, classes):
        face = load(files[rng.integers(len(files))], int(rng.integers(16, 27)))
        page = Image.new("L", (2 * SIDE, 2 * SIDE))
        ImageDraw.Draw(page).text((SIDE, SIDE), str(digit), 255, face, anchor="mm")
        # Turned, stretched and moved, about the middle.
        angle, (a, b) = np.radians(rng.normal(0, 8)), rng.uniform(0.85, 1.2, 2)
        across = np.array([a * np.cos(angle), np.sin(angle)])
        down = np.array([-np.sin(angle), b * np.cos(angle)])
        middle = np.full(2, SIDE / 2) + rng.uniform(-3, 3, 2)
        start = SIDE - np.array([across @ middle, down @ middle])
        map_back = (*across, start[0], *down, start[1])
        page = page.transform(
            (SIDE, SIDE), Image.Transform.AFFINE, map_back, Image.Resampling.BILINEAR
        )
        image[0] = np.asarray(page) / 255.0 + rng.normal(0, 0.1, (SIDE, SIDE))
    return (images - images.mean()) / images.std(), classes


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
        found = net(torch.tensor(images)).argmax(1)
    return (found == torch.tensor(classes)).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--count", type=int, default=4000, help="how many digits to learn from")
    parser.add_argument("--short", action="store_true", help="two steps, to try it out")
    given = parser.parse_args()
    if given.short:
        given.epochs, given.count = 1, 128
    torch.set_num_threads(1)
    images, classes = digits(given.count, seed=1)
    unseen = digits(100 if given.short else 1000, seed=2, for_test=True)
    nets = dict(zip(("minigrad", "torch"), same_start()))
    losses = {}
    print(
        f"{given.count} digits in {len(fonts(False))} fonts to learn, "
        f"{len(unseen[1])} digits in {len(fonts(True))} other fonts to test"
    )
    for name, engine in (("minigrad", minigrad), ("torch", torch)):
        start = time.perf_counter()
        losses[name] = train(engine, nets[name], images, classes, given.epochs)
        took = (time.perf_counter() - start) / len(losses[name])
        right = accuracy(engine, nets[name], *unseen)
        print(
            f"{name:<9} right {100 * right:5.1f} %   loss {losses[name][0]:.4f} to "
            f"{np.mean(losses[name][-20:]):.4f}   {1000 * took:5.1f} ms a step"
        )
    apart = np.abs(np.subtract(*losses.values()))
    print(f"largest difference of the losses in the first 20 steps {apart[:20].max():.1e}")


if __name__ == "__main__":
    main()
