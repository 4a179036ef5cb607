"""What the session holds: files, features, judgments."""
