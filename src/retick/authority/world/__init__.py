"""Servers and clients of declared worlds: the entities and fields that follow from a declaration, and who gets which.

Knows no socket and no clock, and no particular game. docs/formats/world-server.md describes the bytes.
"""
