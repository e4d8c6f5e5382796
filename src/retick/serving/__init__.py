"""A server process: workers, draining, metrics and HTTP, for servers of worlds, of NetRunner, and for relays.

It runs what others decide: it reads no command line and prints nothing but the lines of its event log.
"""
