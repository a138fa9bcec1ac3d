"""`run.py bench` finds every benchmark, and says which there are."""

import os
import re
import subprocess
import sys
import warnings

import pytest
import torch

from tools import bench


def test_each_benchmark_is_named_in_the_help_and_no_other():
    named = re.findall(r"^    (\w+) ", bench.__doc__, re.M)
    assert sorted(named) == sorted(path.stem for path in bench.FOLDER.glob("*.py"))


def test_an_unknown_one_is_answered_with_the_known_ones():
    with pytest.raises(SystemExit, match="There are diagnosis, digits, engine, "):
        bench.main("enigne")


@pytest.mark.parametrize("name", sorted(path.stem for path in bench.FOLDER.glob("*.py")))
def test_each_says_how_it_is_called(name, capsys):
    bench.main(name, "--help")
    assert f"run.py bench {name}" in capsys.readouterr().out


def test_what_follows_the_name_reaches_the_benchmark(capsys):
    with pytest.raises(SystemExit) as end:
        bench.main("site", "no such folder", "--only", "no such part")
    assert end.value.code == 2 and "run.py bench site" in capsys.readouterr().err


# The two others need more than a process: tests/browser/test_redraw.py, tests/deployment/
# test_site_live.py.
@pytest.mark.parametrize("name", ["diagnosis", "digits", "engine"])
def test_its_short_form_runs_to_its_end(name, monkeypatch, capsys):
    """In this process, where PyTorch is imported once."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setattr(sys, "argv", sys.argv)
    threads = torch.get_num_threads()
    with warnings.catch_warnings(record=True) as warned:
        bench.main(name, "--short")
    torch.set_num_threads(threads)
    said = capsys.readouterr()
    assert said.out.strip() and not said.err.strip() and not warned


if sys.platform == "linux":

    def test_the_short_form_that_starts_a_server_and_kernels_runs_to_its_end():
        command = [sys.executable, "-m", "tools.bench", "memory", "--short"]
        run = subprocess.run(command, cwd=bench.ROOT, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip() and not run.stderr.strip()
