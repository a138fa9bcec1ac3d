"""Not for reading: what old programs, other machines and Python's own modules expect of tensors.

Nothing here has to do with backward, and the engine is understood without it.
"""
