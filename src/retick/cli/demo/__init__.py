"""``retick demo``: two peers on a bad link (``network``), one process (``offline``), or a server (``authority``).

Knows how to start and show them; knows no packet.
"""
