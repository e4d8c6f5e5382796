"""The command bench: figures that a user can measure again, each part in a module of its own."""
