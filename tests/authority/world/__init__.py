"""Servers and clients of declared worlds."""
