"""Checkers that are shipped: what Retick tests itself with, for users to test their own games with.

Knows every package below the apps; nothing in those packages knows it.
"""
