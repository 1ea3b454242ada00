"""Charts: the numbers of a table or the records of a run come in, and SVG goes out.

Figures are put together as Vega-Lite and drawn by vl-convert.
"""
