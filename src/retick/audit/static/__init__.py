"""The rules that a game's source must keep. The source is read, never imported or run."""
