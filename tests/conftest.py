"""Settings for every test."""
from hypothesis import settings

# No test may fail because a machine is slow, so hypothesis gets no deadline, and none by chance: the
# examples are the same in each run. `--hypothesis-profile=long` tries other ones, and many more.
settings.register_profile("minigrad", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("minigrad")
