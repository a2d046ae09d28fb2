"""The page on a port of this machine, until it is interrupted."""

from __future__ import annotations

import errno
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from lwcal.errors import ParameterError, message
from lwcal.page.guard import Guard


def listen(host: str, port: int) -> socket.socket:
    """Take a port; 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    # a port that was in use a moment ago can be taken, one that is in use cannot
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise _explain(host, port, error) from None
    listening.listen()
    return listening


def serve(app: ASGIApp, listening: socket.socket, host: str, tell: Callable[[str], None]) -> None:
    """Answer requests until an interrupt.

    Parameters
    ----------
    app : ASGI application
        The page.
    listening : socket
        Of :func:`listen`.
    host : str
        Address that it listens on.
    tell : callable
        Is given the address to open, with its token.
    """
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        Guard(app, token, host, port),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    with suppress(KeyboardInterrupt):  # this is how it ends
        tell(f"http://{_reachable(host)}:{port}/?token={token}")
        uvicorn.Server(config).run(sockets=[listening])


def _reachable(host: str) -> str:
    """What to open where every address is listened on."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]" if ":" in shown else shown


def _explain(host: str, port: int, error: Exception) -> ParameterError:
    if getattr(error, "errno", None) == errno.EADDRINUSE:
        hint = "choose another --port; 0 takes any that is free"
        return ParameterError(message(f"port {port} to be free", "one that is in use", hint))
    expected = "--host and --port that this machine can listen on"
    return ParameterError(message(expected, f"{host} and {port} ({error})"))
