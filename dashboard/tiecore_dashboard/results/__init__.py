"""Values computed once, with progress and a way to stop."""
