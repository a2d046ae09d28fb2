"""Access control of the page: only the browser that opened the printed address is served.

Other web pages in the same browser can also send requests to a local port. They do not know the
token. Browsers mark their requests with headers, and requests for foreign host names that point
to this machine are refused.
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


class AccessControl:
    """ASGI middleware that refuses requests of other sites.

    Parameters
    ----------
    app : ASGI application
        The application to protect.
    token : str
        Secret in the address. It is stored as a cookie at the first visit.
    host : str
        Address that the server listens on.
    port : int
        Port that the server listens on.
    """

    def __init__(self, app: ASGIApp, token: str, host: str, port: int) -> None:
        self._app = app
        self._token = token
        self._host = host
        self._port = port
        self.cookie = f"lwcal_audit_{port}"  # browsers share cookies between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with one line of text."""
        if scope["type"] != "http":  # the page uses no web sockets
            return
        headers = Headers(scope=scope)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        refusal = self._refusal(scope["method"], headers, given)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out.update(HEADERS)
                if given and not refusal:
                    cookie = f"{self.cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                    out.append("Set-Cookie", cookie)
            await send(message)

        if refusal:
            response = PlainTextResponse(f"{refusal}\n", status_code=403)
            await response(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers, given: str) -> str:
        if not self._is_own_host(headers.get("host", "")):
            return "Refused: open the address that lwcal printed."
        origin = headers.get("origin")
        foreign = headers.get("sec-fetch-site", "none") not in OWN_SITES or (
            origin is not None and origin != f"http://{headers['host']}"
        )
        if foreign or (method != "GET" and origin is None):
            return "Refused: this request came from another site."
        token = given or self._stored_token(headers.get("cookie", ""))
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return "Refused: open the complete address that lwcal printed, including the token."
        return ""

    def _stored_token(self, cookies: str) -> str:
        try:
            stored = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return ""
        return "" if stored is None else stored.value

    def _is_own_host(self, host: str) -> bool:
        """Accept addresses and the names of this machine: any other name can point here."""
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
