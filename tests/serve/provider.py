"""A small identity provider: discovery, keys, code flow with PKCE, signed ID tokens; it can also cheat."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "copysift-test", "a-secret-of-the-client"


class IdentityProvider:
    """Whoever comes is logged in as `name`; `claims` are put over those of an honest ID token."""

    def __init__(self) -> None:
        self.name, self.claims = "ann", dict[str, Any]()
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.published = self.key
        self.wrong_secret = False
        self._codes: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                if parts.path == "/.well-known/openid-configuration":
                    self._json(provider.about())
                elif parts.path == "/keys":
                    self._json({"keys": [provider.published.as_dict(private=False)]})
                elif parts.path == "/authorize":
                    self.send_response(302)
                    self.send_header("location", provider.authorize(asked))
                    self.end_headers()

            def do_POST(self) -> None:
                given = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
                status, answer = provider.token(
                    {name: values[0] for name, values in given.items()}, self.headers.get("authorization", "")
                )
                self._json(answer, status)

            def _json(self, content: Any, status: int = 200) -> None:
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *given: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def about(self) -> dict[str, str]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def authorize(self, asked: dict[str, str]) -> str:
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, given: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        asked = self._codes.pop(given.get("code", ""), None)
        wanted = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        verifier = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if asked is None or authorization != f"Basic {wanted}" or challenge != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "sub": "1", "exp": now + 300, "iat": now,
            "nonce": asked["nonce"], "preferred_username": self.name, **self.claims,
        }  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": signed}
