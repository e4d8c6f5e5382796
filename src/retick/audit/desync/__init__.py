"""Desync bundles on disk, and their explanation: the match is run again offline, down to the line that diverged."""
