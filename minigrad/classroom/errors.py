"""show_error: run something that fails and read its message, without a page of traceback."""

import html

from .formatting import wrapped


def show_error(function):
    """Call `function()` and show the error it raises: its type and its exact text, wrapped.

    Returns an `ErrorText`; `.text` is the message unchanged, for searching.
    """
    try:
        function()
    except Exception as error:
        return ErrorText(type(error).__name__, str(error))
    return ErrorText(None, "No error was raised.")


class ErrorText:
    """A message. type: the name of the error's class, or None; text: its exact text."""

    def __init__(self, type_name, text):
        self.type = type_name
        self.text = text

    def __repr__(self):
        label = f"{self.type}: " if self.type else ""
        return "\n".join(
            wrapped(label if k == 0 else " " * len(label), line)
            for k, line in enumerate(self.text.split("\n"))
        )

    def _repr_html_(self):
        label = f"<strong>{html.escape(self.type)}:</strong> " if self.type else ""
        return f'<p style="max-width: 60em">{label}{html.escape(self.text)}</p>'
