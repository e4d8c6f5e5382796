"""Matches against other people: the commands host, join and watch, and what they share."""
