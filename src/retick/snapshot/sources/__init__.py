"""Snapshots made from a user's own data: buffers, mappings, objects.

Each module is a fast path: it gives a snapshot, or None for whatever is unusual or wrong. The code of ``model`` and
``declare`` then does the work with every check in its place. So nothing here decides what is an error, and leaving
this package out changes only the speed. Knows no packets.
"""
