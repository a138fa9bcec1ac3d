"""The predict card: a question, a committed guess, then the answer beside it."""
