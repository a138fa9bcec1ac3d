"""A small Jupyter Server extension: what a widget draws reaches the browser without waiting.

An edit sends several small messages to the page. Jupyter Server leaves Nagle's algorithm on for its
websockets, and so the second of them waits until the browser has confirmed the first, up to 40 ms.
run.py switches this extension on; with any other server add
`--ServerApp.jpserver_extensions=minigrad.classroom.server=True`. All widgets work without it too.
"""


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    """Let every connection of a page to its kernel, of whatever class, send at once."""
    settings = server.web_app.settings

    class PromptConnection(settings["kernel_websocket_connection_class"]):
        def connect(self):
            self.websocket_handler.set_nodelay(True)
            return super().connect()

    settings["kernel_websocket_connection_class"] = PromptConnection
