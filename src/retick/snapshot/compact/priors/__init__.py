"""What a coder knows before its first packet: priors, their files, and the one that comes with the library.

It knows the numbers of the models and neither snapshots nor packets.
"""
