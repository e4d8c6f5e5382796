"""How peers get into a match: requests to connect, the lobby before it, and newcomers while it runs.

Parts of a session; they know links, messages and the match, and no other way to a peer than the session's own.
"""
