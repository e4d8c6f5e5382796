"""Recorded matches and desync bundles."""
