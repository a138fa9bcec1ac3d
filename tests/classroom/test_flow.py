"""The flow picture: its numbers are the engine's, wherever it is cut; the stored files are its."""

import importlib
import re

import numpy as np
import pytest

import minigrad
from minigrad.classroom import pictures
from minigrad.classroom.show.drawing import flow
from tests.browser.pictures import flow_pictures as files
from tools.files import ROOT


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
@pytest.mark.parametrize("seed", range(5))
def test_a_cut_changes_no_gradient(engine, seed):
    """Whatever the parameters: v at each cut, handed to what comes before it, gives the same."""
    torch = importlib.import_module(engine)
    source = np.random.default_rng(seed)
    w, b = source.normal(size=2).tolist(), float(source.normal())
    whole = flow.read_flow(w, b, torch=torch)
    for cut in flow.CUTS:
        leaf = torch.tensor(w, requires_grad=True)
        p = torch.tensor(flow.X) @ leaf + b
        e = p - torch.tensor(flow.T)
        crossing = {"p": p, "e": e, "loss": (e * e).mean()}[cut]
        crossing.backward(torch.tensor(whole.grads[cut].tolist()))
        assert np.allclose(leaf.grad.tolist(), whole.grads["w"], atol=1e-5)


def test_both_engines_give_the_same_picture():
    torch = importlib.import_module("torch")
    ours, theirs = flow.read_flow(), flow.read_flow(torch=torch)
    assert flow.flow_rows(ours) == flow.flow_rows(theirs)


def test_it_shows_the_numbers_it_read_and_those_alone():
    found = flow.read_flow((1.0, -2.0), 0.5)
    svg = flow.draw_flow(found, "alt", cut="e").alone()
    shown = {text.replace("\u2212", "-").lstrip("+") for text in re.findall(r">([^<>]+)<", svg)}
    for values in (*found.values.values(), *found.grads.values()):
        assert {f"{value:g}" for value in np.ravel(values)} <= shown


@pytest.mark.parametrize("cut", [None, *flow.CUTS])
def test_a_still_says_what_it_shows(cut):
    still = pictures.flow(cut)
    assert "loss, 3.5" in still.alt and ("A cut at" in still.alt) == (cut is not None)
    assert (">v<" in still.svg) == (cut is not None)


def test_an_unknown_place_is_refused_by_name():
    for place in ("w", "q"):
        with pytest.raises(ValueError, match=f"not '{place}'"):
            pictures.flow(place)


@pytest.mark.parametrize("path", files())
def test_the_readmes_picture_is_what_the_engine_draws_now(path):
    assert (ROOT / path).read_text("utf-8") == files()[path]


def test_the_readmes_picture_moves_by_css_alone_and_only_where_motion_is_welcome():
    svg = files()["docs/flow.svg"]
    assert not re.search(r"<script|<animate|<foreignObject|href|url\(|@import|//(?!www.w3)", svg)
    before, moving = svg.split("@media (prefers-reduced-motion: no-preference)")
    assert "animation:" not in before and "animation:" in moving
    assert "prefers-color-scheme: dark" in svg
    assert "@keyframes" not in files()["docs/flow-still.svg"]
    assert minigrad.__name__ not in svg
