"""A match of two peers over a network that its sliders make bad."""
