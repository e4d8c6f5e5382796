"""``retick demo``: two peers on a bad link (``network``), one process (``offline``), or a server (``authority``)."""
