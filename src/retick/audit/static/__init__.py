"""The rules that a game's source must keep.

Reads source as text; never imports or runs it.
"""
