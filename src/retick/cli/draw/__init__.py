"""Matches drawn in a terminal.

Knows states and reports; knows no session, no socket and no keyboard.
"""
