"""``retick doctor``: what kind of network is this, and what does it mean for a match over the internet."""
