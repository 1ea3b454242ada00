"""Output: a comparison in words, as a table in the terminal, Markdown, HTML, JSON and JUnit XML."""
