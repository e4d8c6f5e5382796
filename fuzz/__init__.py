"""Fuzzing of everything that reads bytes from outside. ``python -m fuzz --help``, and docs/internals/fuzzing.md.

It is for Retick's own developers, and not part of the package.
"""
