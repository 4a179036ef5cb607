"""What the page Method tells: formulas, texts, and an example small enough to look at every ordering."""
