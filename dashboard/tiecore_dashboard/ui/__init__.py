"""What all pages share: frame, head, charts, words."""
