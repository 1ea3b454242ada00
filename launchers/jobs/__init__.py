"""Jobs: a recipe or a command of one's own comes in, and all that a runner needs to execute it goes out."""
