"""What a kernel says reaches the page at once: a slider that is dragged shows three times as often.

A server that waits for the page's receipt of one small message before it sends the next (Nagle's
algorithm) holds each answer of a widget back by up to 40 ms.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class Prompt(ZMQChannelsWebsocketConnection):
    """A kernel's connection to a page that sends small messages without waiting."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = Prompt  # noqa: F821 (Jupyter gives c)
