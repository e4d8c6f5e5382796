"""Commands and options around the server's key and join tokens. Shows no secret, except where it is what is made."""
