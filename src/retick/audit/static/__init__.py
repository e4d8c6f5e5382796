"""Checks the rules that a game's source must keep. It reads source as text, and never imports or runs it."""
