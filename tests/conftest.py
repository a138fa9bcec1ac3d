"""Settings for every test."""
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# No test may fail because a machine is slow, so hypothesis gets no deadline, and none by chance: the
# examples are the same in each run. `--hypothesis-profile=long` tries other ones, and many more.
settings.register_profile("minigrad", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("minigrad")

# Hypothesis also tries numbers that it finds in the modules that happen to be loaded, so that the
# examples would change with any line of code, and with which tests run. It has no switch for that.
providers._get_local_constants = lambda: providers._local_constants
