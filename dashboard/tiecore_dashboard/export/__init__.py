"""What can be taken away: tables, charts, the report, code that reproduces a page."""
