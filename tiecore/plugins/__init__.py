"""Tie-aware values inside other people's tools: one module for each library, which is imported when it is used.

None of the modules holds a measure: they translate names and data, and the rest of tiecore computes.
"""
