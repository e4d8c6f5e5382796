"""Runs one match in several fresh interpreters and through save and load, and compares the results.

Knows games by their name only: they are imported in the interpreters, never in this process.
"""
