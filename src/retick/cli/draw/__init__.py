"""Matches drawn in a terminal."""
