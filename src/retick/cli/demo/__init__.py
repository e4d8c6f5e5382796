"""The command demo: two peers, a bad link, one outcome."""
