"""Drawing in plain Python: colours, SVG, and a graph as it is read, named and laid out.

Widgets, pictures and the map of the course draw with it. Nothing here knows ipywidgets.
"""
