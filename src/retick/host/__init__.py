"""Rooms behind one address: gate, admission, seats, messages and draining, which every kind of server shares.

It knows links, tokens and routes; it knows no game, no socket and no clock, and neither of the servers built on it.
"""
