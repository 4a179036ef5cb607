"""The pages a folder each, listed in ``all_pages.py``; the script of a page has the name of its folder.

A script reads the settings, asks :mod:`cached`, shows figures and offers exports. Rules: no formula and no reading of
files here; everything numeric comes from tiecore. Keys of widgets begin with the name of the page. Names from files go
through ``words.in_html``, ``words.in_markdown`` or ``charts.look.label``, or into tables and options, which show them
as they are. What clicks draw anew by itself is a ``page.part``, never a bare fragment, which would swallow the errors
that a user can mend.
"""
