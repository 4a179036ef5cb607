"""The work that is measured, a function for each contender, run in a process of its own.

Modules and functions import what they need and no more, for some are timed from the start of the interpreter.
"""
