"""Login at an identity provider beside tokens: a real code flow against a local provider, honest or not."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("authlib")

from joserfc.jwk import RSAKey

from tests.serve.provider import CLIENT, SECRET, IdentityProvider
from tests.serve.running import Server

TOKEN = "ann-token-0123456789"


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    made = IdentityProvider()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(provider: IdentityProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("oidc")
    (folder / "secret").write_text(f"{SECRET}\n")
    (folder / "tokens").write_text(f"ann {TOKEN} teacher\n")
    options = (
        "--oidc-issuer", provider.issuer, "--oidc-client", CLIENT,
        "--oidc-secret-file", str(folder / "secret"),
        "--token-file", str(folder / "tokens"), "--workers", "1", "--moss-users", str(folder / "moss"),
    )  # fmt: skip
    (folder / "moss").write_text("1\n")
    with Server(folder / "data", *options) as running:
        yield running


@pytest.fixture(autouse=True)
def honest(provider: IdentityProvider) -> None:
    provider.name, provider.claims, provider.published = "ann", {}, provider.key


class Browser:
    """Follows redirects and keeps cookies, of two servers."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}

    def get(self, url: str, method: str = "GET") -> tuple[int, str, str]:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        headers = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        connection.request(method, f"{parts.path}?{parts.query}", headers=headers)
        answer = connection.getresponse()
        for line in answer.headers.get_all("set-cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        found = answer.status, answer.headers.get("location", ""), answer.read().decode()
        connection.close()
        return found

    def log_in(self, server: Server) -> tuple[int, str]:
        _, address, _ = self.get(f"{server.url}/login/provider")
        _, back, _ = self.get(address)
        status, _, page = self.get(back)
        return status, page


def user_of(server: Server, browser: Browser) -> str:
    status, _, page = browser.get(f"{server.url}/")
    return page.partition('<span class="muted">')[2].partition("<")[0] if status == 200 else ""


def test_a_known_user_logs_in_at_the_provider_and_out_again(server: Server) -> None:
    browser = Browser()
    assert "Log in with 127.0.0.1" in browser.get(f"{server.url}/login")[2]
    status, page = browser.log_in(server)
    assert (status, 'content="0;url=/"' in page) == (200, True)
    assert user_of(server, browser) == "ann"
    kept = dict(browser.cookies)
    browser.get(f"{server.url}/logout", "POST")
    browser.cookies = kept  # as one who has copied the cookie
    assert user_of(server, browser) == ""


def test_tokens_work_beside_the_provider_and_a_session_is_no_token(server: Server) -> None:
    assert server.ask("GET", "/api/v1/jobs", token=TOKEN)[0] == 200
    browser = Browser()
    browser.log_in(server)
    digest = browser.cookies["copysift"].split(".")[2]
    assert digest.startswith("login:")
    assert server.ask("GET", "/api/v1/jobs", token=digest)[0] == 401
    assert server.ask("GET", "/api/v1/jobs", token=digest.removeprefix("login:"))[0] == 401


def test_someone_whom_only_the_provider_knows_is_refused(server: Server, provider: IdentityProvider) -> None:
    provider.name = "mallory"
    browser = Browser()
    status, page = browser.log_in(server)
    assert status == 403
    assert "mallory may not use this server" in page.replace("Mallory", "mallory")
    assert "copysift" not in browser.cookies
    assert "login failed peer=127.0.0.1" in server.log()


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-client"},
        {"iss": "https://evil.example"},
        {"nonce": "of another login"},
        {"exp": 1_000_000_000},
        {"preferred_username": ""},
        {"preferred_username": "../ann"},
        {"preferred_username": None},
    ],
    ids=str,
)
def test_an_id_token_that_is_not_for_this_login_is_refused(
    server: Server, provider: IdentityProvider, claims: dict[str, object]
) -> None:
    provider.claims = claims
    browser = Browser()
    assert browser.log_in(server)[0] == 403
    assert "copysift" not in browser.cookies


def test_an_id_token_that_another_key_has_signed_is_refused(
    server: Server, provider: IdentityProvider
) -> None:
    provider.published = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
    browser = Browser()
    assert browser.log_in(server)[0] in (403, 200)  # the keys may be known from before
    provider.published, provider.key = provider.key, RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
    browser = Browser()
    assert browser.log_in(server)[0] == 403
    provider.published = provider.key  # new keys of the provider are read
    assert Browser().log_in(server)[0] == 200


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(server: Server) -> None:
    one, other = Browser(), Browser()
    _, address, _ = one.get(f"{server.url}/login/provider")
    _, back, _ = one.get(address)
    other.get(f"{server.url}/login/provider")
    assert other.get(back)[0] == 403  # the state of another login
    assert Browser().get(back)[0] == 403  # no cookie
    assert one.get(back)[0] == 200
    forged = Browser()
    forged.cookies = {"copysift-login": f"{one.cookies.get('copysift-login', '')}x"}
    assert forged.get(back)[0] == 403


def test_unknown_users_can_get_a_role_and_revoking_ends_the_session(
    provider: IdentityProvider, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(SECRET)
    options = (
        "--oidc-issuer", provider.issuer, "--oidc-client", CLIENT,
        "--oidc-secret-file", str(tmp_path / "secret"),
        "--oidc-new-users", "teacher", "--moss-port", "-1", "--workers", "1",
    )  # fmt: skip
    provider.name = "new.teacher@example.org"
    with Server(tmp_path / "data", *options) as server:
        assert server.ask("GET", "/api/v1/jobs")[0] == 401  # no users yet, and not open
        browser = Browser()
        assert browser.log_in(server)[0] == 200
        assert user_of(server, browser) == "new.teacher@example.org"
        assert "/admin" not in browser.get(f"{server.url}/")[2]
        import subprocess
        import sys

        command = [sys.executable, "-m", "copysift", "serve", "token", "revoke", provider.name]
        done = subprocess.run([*command, "--data", str(server.data)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert user_of(server, browser) == ""


def test_a_provider_without_tls_is_refused_unless_it_is_here(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", "--oidc-issuer", "http://id.example.org", "--oidc-client", "x")
    with pytest.raises(AssertionError, match="is not an https: address"):
        server.start()
