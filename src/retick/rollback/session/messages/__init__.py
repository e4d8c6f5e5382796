"""The bytes of a session's messages: the request to connect, and the reliable messages after it.

``kinds`` numbers them; ``routes`` says who may send each of them in which phase, and which part receives it; each other
module has one group of layouts. Readers check everything and raise DecodeError; they know no session. For implementers
there is docs/formats/session-messages.md.
"""
