"""What the widgets share: models and their actions, examples, controls, and the kit that draws."""
