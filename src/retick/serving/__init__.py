"""A server process: workers, draining, metrics and HTTP, for servers of worlds and of NetRunner, and for relays.

It reads no command line, and prints only the lines of its event log and complaints about its files.
"""
