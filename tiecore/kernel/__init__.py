"""Compiled code for moving data, where a compiler was at hand.

It reads plain TREC files, matches the rows of several files, and ranks ids.

It has no part in any measure. NumPy and Arrow do the same work, with equal results, wherever the library is missing,
switched off by ``TIECORE_KERNEL=off``, or declines what it is given.
"""
