"""Pausing a match by agreement. Knows messages and the match; knows no socket and no clock."""
