"""The site: the pages as HTML that needs no server, with the evidence of every number one click away."""
