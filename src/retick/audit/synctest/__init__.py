"""The sync test's search: matches that reach new lines of a game, and the lines that no match reached.

Knows games by the simulation contract; what is compared in a match is handed in by the caller.
"""
