"""The server room: the same place as the server and as one of its clients see it."""
