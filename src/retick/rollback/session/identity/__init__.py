"""Who a peer is: its name and profile, and the seat token by which it gets its seats back.

Knows links, messages and the match; knows no socket and no clock, and sends only through the session.
"""
