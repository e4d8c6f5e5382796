"""A model of membership that is searched exhaustively: the real session code on a link that is a queue of messages.

Runs uncompiled only (``RETICK_PURE=1``); knows no socket and no clock. What the model leaves out is in
docs/internals/membership-search.md.
"""
