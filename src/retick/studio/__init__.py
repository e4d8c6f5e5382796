"""The web page where a match is played, watched, broken and explained: rooms behind a documented feed.

It holds no netcode of its own, opens no file that a page names, and runs no code that a page sends.
"""

__all__: list[str] = []
