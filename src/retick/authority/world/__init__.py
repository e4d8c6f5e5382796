"""Servers and clients of declared worlds: which entities and fields follow from a declaration, and what is sent of them.

Knows no socket and no clock, and no particular game. docs/formats/world-server.md describes the bytes.
"""
