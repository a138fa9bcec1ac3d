"""The seam cutter: a chain cut in two, and the gradient that crosses the cut."""
