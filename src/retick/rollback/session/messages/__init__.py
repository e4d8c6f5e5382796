"""The bytes of a session's messages: the request to connect, and the reliable messages behind it.

``kinds`` numbers them, ``routes`` says who may send each of them in which phase and which part receives it, the other
modules have one group of layouts each. Readers check everything and raise DecodeError; they know no session.
The page for strangers is docs/formats/session-messages.md.
"""
