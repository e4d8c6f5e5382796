"""Datagrams and captures, field by field."""
