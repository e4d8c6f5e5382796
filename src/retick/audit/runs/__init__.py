"""One match run in several fresh interpreters and through save and load, and the results compared."""
