"""Judgments and features brought together: what was handed over, joined and aligned."""
