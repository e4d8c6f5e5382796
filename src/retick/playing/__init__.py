"""What every program that plays a match needs: controllers, the confirmed match, and the driver of one peer.

Knows sessions by their calls and events; knows no screen and no packet.
"""
