"""``retick demo``: two peers on a bad link (``network``), one process (``offline``), or a server (``authority``).

It starts and shows them; it knows no packet.
"""
