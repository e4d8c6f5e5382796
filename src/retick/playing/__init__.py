"""What programs share that play a match to its end: who presses, the confirmed match, and the driver of one peer.

Knows sessions by their calls and events; knows no screen and no packet.
"""
