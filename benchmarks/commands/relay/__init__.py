"""``python -m benchmarks relay``: what a relay forwards, how long it takes, and what a flood of strangers leaves."""
