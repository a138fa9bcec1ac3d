"""Settings for every test."""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# No test may fail because a machine is slow, so hypothesis watches no clock, and none by chance:
# the examples are the same in each run. `--hypothesis-profile=long` tries many more, other ones.
no_clock = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("minigrad", **no_clock, derandomize=True)
settings.register_profile("long", **no_clock, max_examples=2400)
settings.load_profile("minigrad")

# Hypothesis also tries numbers that it finds in the modules that happen to be loaded, so that the
# examples would change with any line of code, and with which tests run. It has no switch for that.
providers._get_local_constants = lambda: providers._local_constants
