"""Rules over a game's source, read and never run."""
