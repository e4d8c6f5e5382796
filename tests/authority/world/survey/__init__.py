"""What a survey of a world finds, however it has changed since the last one."""
