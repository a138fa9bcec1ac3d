"""The nudge meter: secant and tangent, and which eps makes them agree best."""
