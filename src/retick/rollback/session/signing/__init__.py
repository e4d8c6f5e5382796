"""Signed inputs: each machine signs what it has sent, and one that has signed two stories is shown out by all."""
