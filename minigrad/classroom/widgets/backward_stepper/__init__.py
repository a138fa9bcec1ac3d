"""The backward stepper (W3): a real backward pass, one node a step, forward and back in time."""
