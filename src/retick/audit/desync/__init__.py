"""Desync bundles on disk, and their explanation: the match is run again offline, down to the line that diverged.

It knows reports and recordings, but no session and no network, and runs a game only in another process.
"""
