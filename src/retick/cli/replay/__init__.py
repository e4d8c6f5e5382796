"""``retick replay``: one module for each of its commands, and what they share: files, the game, scripts of inputs.

Knows recordings by the calls of ``retick.replay``; knows no file format and no network.
"""
