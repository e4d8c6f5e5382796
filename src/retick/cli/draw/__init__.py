"""Draws matches in a terminal. It knows states and reports, but no session, socket or keyboard."""
