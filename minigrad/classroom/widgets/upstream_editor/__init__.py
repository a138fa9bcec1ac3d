"""The upstream editor (W1): edit v and see x.grad = v·J, from three sides."""
