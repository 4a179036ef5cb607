"""A soak: people use the dashboard for an hour, and its memory, threads, files and log are watched.

Run by hand, since it takes as long as it is told to::

    python -m bench.soak --minutes 60 --sessions 3

It needs Linux (it reads /proc), Chromium and Playwright, as the browser tests do.
"""
