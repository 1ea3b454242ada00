"""Views: what a report says, in one language, as Markdown, as HTML and on a terminal. None of them measures."""
