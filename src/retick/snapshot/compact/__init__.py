"""Compact deltas: the entropy-coded body."""
