"""Archives of pages: everything behind the numbers of a page in one file, which is verified without anything else."""
