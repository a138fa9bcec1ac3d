"""Then and now: what old documents printed, what their cells do today, and what mends them."""
