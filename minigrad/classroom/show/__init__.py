"""How the classroom shows things: numbers, tables, pages, pictures and graphs, as text and as HTML.

formatting.py writes numbers and typed_numbers.py reads them; html.py is the one writer of HTML;
drawing/ makes SVG; pictures.py has the pictures of lessons, a call each.
"""
