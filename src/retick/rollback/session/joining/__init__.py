"""How peers get into a match: requests to connect, the lobby before it, and newcomers while it runs.

Knows links, messages and the match, but no socket and no clock; it sends only through the session.
"""
