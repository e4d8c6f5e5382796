"""``python -m benchmarks verify``: how fast recorded matches are run again, one and many."""
