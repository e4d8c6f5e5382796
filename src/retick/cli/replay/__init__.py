"""``retick replay``: one module for each of its commands, and what they share: files, the game, scripts of inputs."""
