"""A desync bundle on disk, run again offline down to the line that diverged."""
