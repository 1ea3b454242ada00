"""Archives of pages: the report of a page and everything behind its numbers in one file."""
