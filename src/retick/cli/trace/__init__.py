"""Notes of what a peer did and when, and the trace made from them; the format is in docs/formats/trace.md."""
