"""Figures for papers and slides: the charts of the pages drawn as PDF, SVG or PNG at the width of a column."""
