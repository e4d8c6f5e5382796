"""Many recordings: one result row for each, whoever runs them.

Knows bytes, games and rows; no file, thread or process. ``retick.bulk`` has these.
"""
