"""Charts of pages and of runs: what is drawn, in which words, as SVG and as interactive HTML."""
