"""The server room: a NetRunner course as the server sees it, beside the same course as one of its clients sees it.

It knows nothing of rollback and recordings, and nothing of the other rooms.
"""
