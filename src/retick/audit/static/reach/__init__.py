"""Which files, and what in them, a game can reach: only that is simulation.

Knows nothing of the rules.
"""
