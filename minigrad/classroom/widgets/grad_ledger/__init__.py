"""The ledger of .grad (W6): what each call adds to .grad, and what the graph keeps and frees."""
