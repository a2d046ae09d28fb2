"""The server: when it says that it has begun."""

import signal

from lwcal.page.server import listen, serve


async def nothing(scope, receive, send):
    """An application without any page."""


def test_an_interrupt_right_after_the_announcement_ends_it():
    """Nobody can press Ctrl-C too early: the server answers it before it gives its address."""
    addresses, handlers = [], []

    def announce(address):
        addresses.append(address.partition("token=")[0])
        handlers.append(signal.getsignal(signal.SIGINT))
        signal.raise_signal(signal.SIGINT)

    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        serve(nothing, listening, "127.0.0.1", announce)
    assert addresses == [f"http://127.0.0.1:{port}/?"]
    assert handlers[0].__name__ == "handle_exit"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
