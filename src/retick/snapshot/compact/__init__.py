"""Compact deltas: what changed, predicted from older snapshots and entropy-coded, for any schema.

It knows schemas and columns, but neither sockets nor which packets arrived. ``coder``, ``motion`` and ``body`` are
kernels, driven by a plan; ``head`` and ``packet`` make payloads, and ``carried`` has both ends of one receiver.
"""
