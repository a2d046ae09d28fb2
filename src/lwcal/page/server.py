"""Serve the page on a port of this machine until it is interrupted."""

from __future__ import annotations

import errno
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from lwcal.errors import ParameterError
from lwcal.page.access import AccessControl


def listen(host: str, port: int) -> socket.socket:
    """Open a port; 0 opens any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    # allows a port that was closed a moment ago, but not one in use
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise _port_error(host, port, error) from None
    listening.listen()
    return listening


def serve(
    app: ASGIApp, listening: socket.socket, host: str, announce: Callable[[str], None]
) -> None:
    """Answer requests until the process is interrupted.

    Parameters
    ----------
    app : ASGI application
        The page.
    listening : socket
        The result of :func:`listen`.
    host : str
        Address that the socket listens on.
    announce : callable
        Called with the address to open, which includes the token, when requests and interrupts
        are answered.
    """
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        AccessControl(app, token, host, port),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    address = f"http://{_reachable(host)}:{port}/?token={token}"
    with suppress(KeyboardInterrupt):  # the normal way to stop
        _AnnouncedServer(config, partial(announce, address)).run(sockets=[listening])


class _AnnouncedServer(uvicorn.Server):
    """A server that says when it has begun.

    Before that, its modules are still imported, and Python would ignore an interrupt that comes
    within an import of another one.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def _reachable(host: str) -> str:
    """Return an address to open, also if the server listens on all addresses."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]" if ":" in shown else shown


def _port_error(host: str, port: int, error: Exception) -> ParameterError:
    if getattr(error, "errno", None) == errno.EADDRINUSE:
        return ParameterError(
            f"Port {port} is in use. Choose another --port; 0 uses any free port."
        )
    reason = getattr(error, "strerror", None) or error
    return ParameterError(f"Cannot listen on host {host}, port {port}: {reason}.")
