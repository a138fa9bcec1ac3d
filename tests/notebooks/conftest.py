"""Small notebooks to try the tool and nbval on."""

import nbformat
import pytest


@pytest.fixture
def notebook(tmp_path):
    """Write a notebook of the given code cells; a cell is its source, or (source, tag, ...)."""

    def write(*cells, name="tiny.ipynb"):
        nb = nbformat.v4.new_notebook()
        for number, cell in enumerate(cells):
            source, *tags = [cell] if isinstance(cell, str) else cell
            nb.cells.append(
                nbformat.v4.new_code_cell(
                    source, id=f"c{number}", metadata={"tags": tags} if tags else {}
                )
            )
        path = tmp_path / name
        nbformat.write(nb, path)
        return path

    return write
