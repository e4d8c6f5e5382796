"""``python -m benchmarks relay``: throughput and delay of a relay, and the memory that a flood of strangers leaves."""
