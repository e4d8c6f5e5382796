"""A server's room, seen by the server and by one of its clients."""
