"""``retick bench``: one module for each of its commands, and what they measure with.

``sim``, ``rollback``, ``snapshot``, ``verify`` and ``agents`` time one part of the library in this process.
``sessions`` (with the ``session_`` modules) and ``authority`` (with the ``authority_`` modules) time whole peers and
servers. ``chaos`` times nothing: it plays thousands of matches on bad links and checks each.

The library never imports it, and no command outside of it needs what it measures.
"""
