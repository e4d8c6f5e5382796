"""What a game's own loop gets from a session: its frames, cues, a recording, pictures between frames, a clean leave.

Knows the match and the parts of a session; knows no socket, no clock and no file.
"""
