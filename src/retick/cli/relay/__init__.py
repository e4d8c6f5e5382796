"""``retick relay``: the meeting point of peers behind routers, on two UDP ports.

Sockets, clock, key file and metrics; what a relay does is in ``retick.relay``.
"""
