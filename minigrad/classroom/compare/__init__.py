"""One program, two engines: how a program is run, recorded, labelled and compared.

comparison.py is `compare(program)`, both.py the cell magic `%%both`, cells.py a notebook cell as a
program, engines.py the two engines, results.py what a program gave, agreement.py when two numbers
count as equal, recorded/ PyTorch's stored answers, and fingerprint.py how a program is known again.
"""
