"""Pictures: the same bytes on every run, words for all of it, large type, white paper."""

import base64
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

import minigrad as torch
from minigrad.classroom.show import pictures

LOSS = [3.5 * 0.8**step for step in range(40)]


def graph():
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    out = a * b + a * a
    return pictures.graph(out.sum(), a=a, b=b, out=out, alt="How the sum was made.")


MAKE = {
    "lines": lambda: pictures.lines({"mended": LOSS, "as it was": [3.5, 0.8] * 20}, alt="Lines."),
    "log": lambda: pictures.lines({"sum": [14, 76.4, float("inf")]}, log=True, alt="It explodes."),
    "heat": lambda: pictures.heat(torch.tensor([[1.0, -2.0], [0.0, 4.5]]), alt="A matrix."),
    "large": lambda: pictures.heat(torch.eye(12), alt="Ones."),
    "graph": graph,
    "ways": lambda: pictures.ways(
        [{"x[0]": 2, "x[1]": 3}, {"y": -0.5}], [[[4.0, 1.5]]], back=[[4, 1.5], [1]], alt="Two ways."
    ),
    "chain": lambda: pictures.chain(
        {"x": 2, "y = 3x + 1": 7, "z = y\u00b2": 49},
        [3, 14],
        forward={"a nudge": [0.001, 0.003, 0.042]},
        backward={"slope of z": [42, 14, 1]},
        alt="A chain.",
    ),
}
each = pytest.mark.parametrize("name", MAKE)


@pytest.fixture(scope="module")
def drawn_elsewhere():
    """The pictures as another process draws them."""
    code = (
        "import importlib.util as u; s = u.spec_from_file_location('t', r'%s');"
        "m = u.module_from_spec(s); s.loader.exec_module(m); import json;"
        "print(json.dumps({name: make().svg for name, make in m.MAKE.items()}))"
    ) % __file__
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return json.loads(run.stdout)


@each
def test_every_run_gives_the_same_bytes(name, drawn_elsewhere):
    assert MAKE[name]().svg == MAKE[name]().svg == drawn_elsewhere[name]


@each
def test_it_is_well_formed_and_names_no_date_and_no_fonts_outlines(name):
    svg = MAKE[name]().svg
    xml.fromstring(svg)
    assert "<text" in svg and "<image" not in svg and "metadata" not in svg and "date" not in svg
    assert not re.search(r"<[^>]*\d\.\d{3}", svg)  # rounded


@each
def test_type_is_large_enough_and_the_picture_is_not_high(name):
    svg = MAKE[name]().svg
    width, height = (float(n) for n in re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', svg).groups())
    assert height <= 400 + 28 and 150 < width <= (900 if name == "graph" else 600)
    sizes = re.findall(r'font(?:-size)?[:=]\s*"?(\d+)', svg)
    assert sizes and min(map(float, sizes)) >= 14
    assert re.search("#ffffff", svg)


@each
def test_it_is_an_image_with_its_words_in_a_box_that_scrolls(name):
    html = MAKE[name]()._repr_html_()
    alt, data = re.search(r'<img alt="([^"]+)".*base64,([^"]+)"', html).groups()
    assert alt == MAKE[name]().alt and "overflow-x: auto" in html
    width = float(re.search(r'width="([\d.]+)"', html)[1])
    fits = "none" if width <= 760 else "max(100%, 760px)"  # all of a wide graph in JupyterLab
    assert f'max-width: {fits}"' in html
    assert base64.b64decode(data).decode() == MAKE[name]().svg


@each
def test_text_tells_the_sentence_and_the_numbers(name):
    text = repr(MAKE[name]())
    assert text.startswith(f"Picture: {MAKE[name]().alt}\n") and len(text.splitlines()) >= 2
    assert max(map(len, text.splitlines())) <= 100


def test_a_derivative_that_is_zero_has_no_arrow():
    columns = [{"a": 1, "b": 2}, {"c": 3, "d": 4}]
    arrows = [
        pictures.ways(columns, [table], alt="Some arrows.").svg.count("<path")
        for table in ([[1, 2], [3, 4]], [[1, 0], [0, 4]])
    ]
    assert arrows[0] - arrows[1] == 2 * 2  # a line and its head each


def test_numbers_in_words():
    assert "  mended     3.5, 2.8, 2.24, " in repr(MAKE["lines"]())
    assert "\u2026 0.00058154 (40 values)" in " ".join(repr(MAKE["lines"]()).split())
    assert "  sum  14, 76.4, inf" in repr(MAKE["log"]())
    assert "  row 2  0, 4.5" in repr(MAKE["heat"]())
    told = repr(MAKE["ways"]())
    assert "  x[0], x[1]              2, 3" in told and "  slopes of y             4, 1.5" in told
    assert "  gradient of x[0], x[1]  4, 1.5" in told
    told = repr(graph())
    assert "  a    a leaf, [[1, 2], [3, 4]]" in told
    assert "AddBackward0, [[3, 8], [15, 24]], from" in told


@pytest.mark.parametrize("alt", ["", "  ", None])
def test_a_picture_without_words_is_refused(alt):
    with pytest.raises(ValueError, match="a picture needs alt="):
        pictures.lines({"a": [1, 2]}, alt=alt)
    with pytest.raises(TypeError):
        pictures.lines({"a": [1, 2]})


def test_labels_of_lines_that_end_together_stand_apart():
    svg = pictures.lines({"one": [1, 2], "two": [3, 2], "three": [0, 2]}, alt="They meet.").svg
    place = r'<text[^>]* y="(\S+?)"[^>]*>'
    heights = [float(re.search(place + f"{word}<", svg)[1]) for word in ("one", "two", "three")]
    assert min(abs(a - b) for a in heights for b in heights if a is not b) >= 15


def test_a_logarithmic_axis_has_one_notation():
    svg = pictures.lines({"sum": [1, 1e4, 1e9]}, log=True, alt="It grows.").svg
    assert ">1e+08<" in svg and ">1e+00<" in svg and ">10000<" not in svg
    assert ">1000<" in pictures.lines({"sum": [1, 1e4]}, log=True, alt="It grows.").svg


def points(svg):
    """The points of the first thick line, piece by piece."""
    [path, *_] = re.findall(r'<path d="([^"]+)" stroke-width="2.5"', svg)
    pieces = [piece.split("L") for piece in path.split("M")[1:]]
    return [[tuple(map(float, point.split())) for point in piece] for piece in pieces]


def test_a_line_rises_with_its_values_and_is_interrupted_where_there_is_none():
    svg = pictures.lines({"a": [1, 2, float("nan"), 4, 8]}, alt="A line in two pieces.").svg
    (a, b), (c, d) = points(svg)
    steps = [b[0] - a[0], (c[0] - b[0]) / 2, d[0] - c[0]]
    assert max(steps) - min(steps) < 0.05
    assert abs((c[1] - d[1]) / (a[1] - b[1]) - 4) < 0.01 and a[1] > b[1] > c[1] > d[1]


def test_on_a_logarithmic_scale_a_factor_is_a_distance():
    [[a, b, c]] = points(pictures.lines({"a": [1, 10, 1000]}, log=True, alt="It explodes.").svg)
    assert abs((b[1] - c[1]) / (a[1] - b[1]) - 2) < 0.01


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values", [[], [5], [2, 2, 2], [float("nan")], [0, -1], [1e-30, 1e30], [0.1, 0.1 + 1e-9]]
)
def test_any_numbers_can_be_drawn(values, log):
    xml.fromstring(pictures.lines({"a": values}, log=log, alt="A line.").svg)


def test_ticks_are_round_numbers_and_steps_are_whole():
    svg = pictures.lines({"a": [0.3, 0.5, 1.1]}, y_label="y", alt="Three values.").svg
    assert re.findall(">([^<>]+)</text>", svg)[:8] == [
        *("0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")
    ]
    assert {"0", "1", "2"} <= {*re.findall(">([^<>]+)</text>", svg)} and ">0.5<" in svg
    assert ">1.5<" not in svg


def test_a_matrix_names_its_rows_and_columns():
    svg = MAKE["heat"]().svg
    texts = re.findall(">([^<>]+)</text>", svg)
    assert texts[:2] == ["inputs", "outputs"] and texts[2:6] == ["1", "2", "1", "2"]
    assert texts[6:] == ["+1", "\u22122", "0", "+4.5"]
    named = pictures.heat([[1, 2]], rows=["y"], columns=["a", "b"], alt="A row.").svg
    assert re.findall(">([^<>]+)</text>", named) == ["a", "b", "y", "+1", "+2"]
    assert re.findall(">([^<>]+)</text>", MAKE["large"]().svg)[2:] == ["1", "12", "1", "12"]
