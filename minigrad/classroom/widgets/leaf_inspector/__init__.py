"""The leaf inspector (W7): what each tensor of a small program says about itself."""
