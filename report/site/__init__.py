"""The site: rendered pages come in, and a folder of HTML that needs no server goes out."""
