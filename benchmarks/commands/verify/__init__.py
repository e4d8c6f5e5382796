"""``python -m benchmarks verify``: the speed of verifying one or many recorded matches."""
