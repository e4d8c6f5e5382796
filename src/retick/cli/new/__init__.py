"""``retick new``: the files of a new game, from templates."""
