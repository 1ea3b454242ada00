"""What the numbers of a line mean, by the words around them and one vocabulary of what programs call them."""
