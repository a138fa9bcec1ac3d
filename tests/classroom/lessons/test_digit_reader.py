"""The digit reader of docs/lessons.md: its numbers, healthy and ill, are those of both engines."""

import re
import textwrap

import numpy as np
import pytest
import torch

import minigrad
from minigrad.classroom import pictures
from minigrad.classroom.lessons.digits import digits
from tools.files import ROOT

GUIDE = (ROOT / "docs" / "lessons.md").read_text("utf-8")
SECTION = GUIDE.partition("### The digit reader")[2].partition("\n### ")[0]
PROGRAM, SOFTMAX, TWO_LAYERS = (
    textwrap.dedent(block)
    for block in re.findall(r"(?:^(?: {4}.*)?\n)+", SECTION, re.MULTILINE)
    if "    " in block
)
FORWARD = """scores = pixels @ W + b
    loss = torch.nn.functional.cross_entropy(scores, labels)"""
each = pytest.mark.parametrize("engine", [minigrad, torch], ids=["minigrad", "PyTorch"])


def run(engine, capsys, *changes):
    """(loss at the end, how many are read right, what each of the 500 is read as), of a program."""
    program = PROGRAM
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in program, old
        program = program.replace(old, new)
    space = {"torch": engine, "digits": digits, "pictures": pictures, "np": np}
    exec(program, space)
    right = re.search(r"(\d+) of 500 are read right", capsys.readouterr().out)
    return round(space["loss"].item(), 4), int(right[1]), np.array(space["read"].tolist())


def indented(text):
    return textwrap.indent(text, "    ").strip()


@each
def test_healthy_it_reads_441(engine, capsys):
    loss, right, _ = run(engine, capsys)
    assert (loss, right) == (0.1923, 441) and "to 0.1923" in SECTION and "**441**" in SECTION
    by_hand = run(engine, capsys, FORWARD, indented(SOFTMAX))
    assert by_hand[:2] == (loss, right)


@each
def test_divided_over_the_images_it_reads_sevens_as_8(engine, capsys):
    wrong = SOFTMAX.replace("dim=1, keepdim=True", "dim=0")
    _, right, read = run(engine, capsys, FORWARD, indented(wrong))
    sevens = read[digits()[1].names == 7]
    assert (right, (sevens == 8).sum(), len(sevens)) == (352, 37, 50)
    assert "352 are read right, and 37 of 50 sevens" in SECTION


@each
def test_with_a_second_layer_it_reads_448_and_with_the_first_one_frozen_395(engine):
    start, _, forward = TWO_LAYERS.strip().rpartition("\n")
    assert two_layers(engine, start, forward) == (0.0539, 448)
    frozen = two_layers(engine, start, forward.replace(".tanh()", ".tanh().detach()"))
    assert frozen[1] == 395 and "395 are read right in place of 448" in SECTION


def two_layers(engine, start, forward):
    """(loss at the end, how many are read right) with the parameters and the scores of the text."""
    train, test = digits()
    space = {"torch": engine, "np": np, "pixels": engine.tensor(train.pixels[:500])}
    exec(start, space)
    parameters = [space[name] for name in ("W1", "b1", "W2", "b2")]
    labels = engine.tensor(train.names[:500])
    for _ in range(100):
        exec(forward, space)
        loss = engine.nn.functional.cross_entropy(space["scores"], labels)
        loss.backward()
        with engine.no_grad():
            for one in parameters:
                if one.grad is not None:  # a frozen one has none
                    one -= 1.0 * one.grad
                one.grad = None
    space["pixels"] = engine.tensor(test.pixels)
    exec(forward, space)
    read = np.array(space["scores"].argmax(dim=1).tolist())
    return round(loss.item(), 4), int((read == test.names).sum())


@each
def test_with_two_columns_cut_every_8_is_read_as_3_or_another(engine, capsys):
    cut = "W.grad[:, [3, 8]] = b.grad[[3, 8]] = 0.0\n    with torch.no_grad():"
    _, _, read = run(engine, capsys, "with torch.no_grad():", cut)
    eights = read[digits()[1].names == 8]
    assert ((eights == 8).sum(), (eights == 3).sum(), len(eights)) == (0, 33, 46)
    assert "33 of 46 are read as 3" in SECTION
