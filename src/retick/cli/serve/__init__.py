"""The commands of the server model: serve and bots."""
