"""The Jacobian picture (W2): J, its rows weighed by v and added into x.grad, or J·u."""
