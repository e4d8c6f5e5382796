"""Runs one match in several fresh interpreters and through save and load, and compares the results."""
