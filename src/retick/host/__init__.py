"""Rooms behind one address: gate, admission, seats, messages and draining, shared by every kind of server.

It knows links, tokens and routes; it knows no game, no socket, no clock, and none of the servers built on it.
"""
