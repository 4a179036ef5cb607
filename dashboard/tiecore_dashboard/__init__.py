"""The dashboard of tiecore: qrels and feature files in, one screen that tells luck from difference."""
