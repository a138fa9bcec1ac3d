"""The shape gate: which gradient shapes `backward` lets through."""
