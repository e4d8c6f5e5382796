"""``retick replay``: its commands, and what they share: files, the game, scripts of inputs.

It reads recordings with ``retick.replay``; it knows no file format and no network.
"""
