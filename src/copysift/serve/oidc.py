"""Log in at an identity provider (OpenID Connect, authorization code with PKCE) instead of with a token."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from copysift.errors import CopysiftError, UsageError
from copysift.serve.access import is_loopback
from copysift.serve.users import NAME, ROLES, Users

DISCOVERY = "/.well-known/openid-configuration"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")  # none that shares a secret
LIFE = 600  # seconds that a person has to log in
FRESH = 3600.0  # seconds after which the provider is asked again for its addresses and keys
TIMEOUT = 10.0
LEEWAY = 60  # seconds that two clocks may differ
REFUSE = "refuse"
Sign = Callable[..., str]


class LoginError(CopysiftError):
    """Raised when a login at the provider does not lead to a user; the message is for that person."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An identity provider as the operator has set it up."""

    issuer: str
    client_id: str
    secret: str = ""
    claim: str = "preferred_username"
    new_users: str = REFUSE

    def __post_init__(self) -> None:
        parts = urlsplit(self.issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise UsageError(f"--oidc-issuer {self.issuer} is not an https: address")
        if not self.client_id:
            raise UsageError(
                "--oidc-issuer needs --oidc-client", hint="your provider gives you the client ID"
            )
        if self.new_users not in (REFUSE, *ROLES):
            raise UsageError(f"there is no role {self.new_users!r}")


@dataclass(frozen=True, slots=True)
class StartedLogin:
    """A login on its way, kept in a signed cookie of the browser that started it."""

    state: str
    nonce: str
    verifier: str
    next: str
    until: float


class Begin(NamedTuple):
    """Where to send a browser, and the cookie that it comes back with."""

    address: str
    cookie: str


class OpenIdConnect:
    """Talks to the provider; threads may share it."""

    def __init__(self, provider: Provider, users: Users, sign: Sign, redirect: str) -> None:
        try:
            from authlib.integrations.httpx_client import OAuth2Client
        except ImportError as error:
            raise UsageError(
                f"--oidc-issuer needs a package that is not installed: {error.name}",
                hint="pip install 'copysift[oidc]'",
            ) from None
        self._provider, self._users, self._sign, self._redirect = provider, users, sign, redirect
        self._client_of = OAuth2Client
        self._lock = threading.Lock()
        self._found: tuple[float, dict[str, Any]] = (float("-inf"), {})
        self._keys: tuple[float, Any] = (float("-inf"), None)

    @property
    def name(self) -> str:
        """The provider's host, for the button."""
        return urlsplit(self._provider.issuer).hostname or ""

    def begin(self, next_: str) -> Begin:
        """Start a login."""
        state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
        started = StartedLogin(state, nonce, verifier, next_, time.time() + LIFE)
        with self._client() as client:
            address, _ = client.create_authorization_url(
                self._discovered()["authorization_endpoint"], state=started.state, nonce=started.nonce,
                code_verifier=started.verifier,
            )  # fmt: skip
        content = base64.urlsafe_b64encode(json.dumps(asdict(started)).encode()).decode()
        return Begin(str(address), f"{content}.{self._sign('oidc', content)}")

    def finish(self, cookie: str, state: str, code: str) -> tuple[str, str, str]:
        """Take the answer of the provider; give the user, the digest of the session, and the page to show.

        Raise LoginError unless it belongs to a login of this browser and names a user who may enter.
        """
        started = self._started(cookie)
        if not secrets.compare_digest(state.encode(), started.state.encode()):
            raise LoginError("this login was not started here", hint="try again")
        with self._client() as client:
            try:
                token = client.fetch_token(
                    self._discovered()["token_endpoint"], code=code, code_verifier=started.verifier
                )
            except Exception as error:
                raise LoginError(
                    f"the identity provider refused the login ({type(error).__name__})", hint="try again"
                ) from error
        claims = self._claims(str(token.get("id_token", "")), started.nonce)
        name = str(claims.get(self._provider.claim, ""))
        if self._provider.claim == "email" and claims.get("email_verified") is not True:
            raise LoginError("your mail address is not verified")
        if not NAME.fullmatch(name):
            raise LoginError(f"the identity provider gives no usable {self._provider.claim}")
        role = "" if self._provider.new_users == REFUSE else self._provider.new_users
        digest = self._users.enter(name, role)
        if digest is None:
            raise LoginError(f"{name} may not use this server", hint="ask an admin to add you")
        return name, digest, started.next

    def _started(self, cookie: str) -> StartedLogin:
        content, _, signed = cookie.rpartition(".")
        if not secrets.compare_digest(signed.encode(), self._sign("oidc", content).encode()):
            raise LoginError("this login was not started here", hint="try again")
        started = StartedLogin(**json.loads(base64.urlsafe_b64decode(content)))
        if started.until < time.time():
            raise LoginError("the login took too long", hint="try again")
        return started

    def _claims(self, value: str, nonce: str) -> dict[str, Any]:
        """Check an ID token: signed by the provider, for us, for this login, and not too old."""
        from joserfc import errors, jwt

        wanted: dict[str, Any] = {
            "iss": {"essential": True, "value": self._provider.issuer},
            "aud": {"essential": True, "value": self._provider.client_id},
            "nonce": {"essential": True, "value": nonce},
            "exp": {"essential": True},
        }
        try:
            try:
                token = jwt.decode(value, self._key_set(), algorithms=list(ALGORITHMS))
            except (errors.InvalidKeyIdError, errors.BadSignatureError):  # the provider may have new keys
                token = jwt.decode(value, self._key_set(again=True), algorithms=list(ALGORITHMS))
            jwt.JWTClaimsRegistry(leeway=LEEWAY, **wanted).validate(token.claims)
        except (errors.JoseError, ValueError) as error:
            raise LoginError(
                f"the answer of the identity provider is not valid ({type(error).__name__})", hint="try again"
            ) from error
        return dict(token.claims)

    def _client(self) -> Any:
        provider = self._provider
        return self._client_of(
            provider.client_id, provider.secret or None, scope="openid profile email",
            redirect_uri=self._redirect, code_challenge_method="S256", timeout=TIMEOUT, trust_env=False,
            token_endpoint_auth_method="client_secret_basic" if provider.secret else "none",
        )  # fmt: skip

    def _discovered(self) -> dict[str, Any]:
        with self._lock:
            when, found = self._found
            if time.monotonic() - when > FRESH:
                found = self._read(self._provider.issuer.rstrip("/") + DISCOVERY)
                if found.get("issuer") != self._provider.issuer:
                    raise LoginError("the identity provider names another issuer", hint="check --oidc-issuer")
                self._found = (time.monotonic(), found)
            return found

    def _key_set(self, *, again: bool = False) -> Any:
        from joserfc.jwk import KeySet

        address = self._discovered()["jwks_uri"]
        with self._lock:
            when, keys = self._keys
            if again or time.monotonic() - when > FRESH:
                keys = KeySet.import_key_set(self._read(address))
                self._keys = (time.monotonic(), keys)
            return keys

    def _read(self, address: str) -> Any:
        import httpx

        try:
            answer = httpx.get(address, timeout=TIMEOUT, trust_env=False)
            answer.raise_for_status()
            return answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise LoginError("the identity provider does not answer", hint="try again later") from error
