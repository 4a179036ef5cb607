"""Weak orders and their refinements: tie groups, sort keys, tie-breaks."""
