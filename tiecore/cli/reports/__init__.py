"""What the commands report, as tables."""
