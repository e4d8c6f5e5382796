"""Runs one match in several fresh interpreters and through save and load, and compares the results.

It knows games only by name: they are imported in the interpreters, never in this process.
"""
