"""Exporting: numbers of pages and logs come in, and the files of other programs go out, with the same digits."""
