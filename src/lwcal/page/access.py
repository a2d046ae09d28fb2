"""Who may talk to the page: the browser that was given the address, and nobody through it.

Other programs' pages in the same browser can reach a local port. They do not know the token, are
told apart by the headers that browsers add to requests between sites, and names of theirs that
point to this machine are not accepted as hosts.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
OWN_SITES = ("same-origin", "none")
LOCAL = ("127.0.0.1", "localhost", "::1")


class Guard:
    """Stands before an application.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        What the address holds; kept as a cookie after the first visit.
    host : str
        Address that is listened on.
    port : int
        Port that is listened on.
    """

    def __init__(self, app: ASGIApp, token: str, host: str, port: int) -> None:
        self._app = app
        self._token = token
        self._host = host
        self._port = port
        self.cookie = f"lwcal_audit_{port}"  # browsers share cookies between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse in one line."""
        if scope["type"] != "http":  # no sockets here
            return
        headers = Headers(scope=scope)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        refusal = self._refusal(scope["method"], headers, asked)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out.update(HEADERS)
                if asked and not refusal:
                    kept = f"{self.cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                    out.append("Set-Cookie", kept)
            await send(message)

        if refusal:
            answer = PlainTextResponse(f"{refusal}\n", status_code=403)
            await answer(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _refusal(self, method: str, headers: Headers, asked: str) -> str:
        if not self._is_own_host(headers.get("host", "")):
            return "Refused: open the page by the address that lwcal printed."
        origin = headers.get("origin")
        foreign = headers.get("sec-fetch-site", "none") not in OWN_SITES or (
            origin is not None and origin != f"http://{headers['host']}"
        )
        if foreign or (method != "GET" and origin is None):
            return "Refused: this request came from another site."
        known = asked or self._kept(headers.get("cookie", ""))
        if not secrets.compare_digest(known.encode(), self._token.encode()):
            return "Refused: open the page by the whole address that lwcal printed, token and all."
        return ""

    def _kept(self, cookies: str) -> str:
        try:
            kept = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return ""
        return "" if kept is None else kept.value

    def _is_own_host(self, host: str) -> bool:
        """Names are refused, but for this machine's: anybody's name can point here."""
        name, _, port = host.rpartition(":")
        if port != str(self._port):
            return False
        name = name.strip("[]")
        if name in (self._host, "localhost"):
            return True
        if self._host in LOCAL:
            return name in LOCAL
        return _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
