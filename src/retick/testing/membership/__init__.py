"""A model of membership that is searched exhaustively: the real session code on a link that is a queue of messages.

Runs uncompiled only (``RETICK_PURE=1``); knows no socket and no clock. docs/testing.md says what the model leaves out.
"""
