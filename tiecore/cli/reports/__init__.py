"""What each command has to say, as sheets; a module a command."""
