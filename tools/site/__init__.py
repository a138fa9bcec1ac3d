"""The static site: the course that runs in a browser alone, and the book around it."""
