"""``retick demo``: two peers on a bad link (``network``), or a server and bots (``authority``).

It starts and shows them; it knows no packet.
"""
