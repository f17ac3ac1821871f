"""The client of Rostrum's HTTP API for Python 3.9 and later, of the standard library alone. Made from /openapi.json by
`node scripts/build-clients.ts`: every call is one operation, named as in /docs, with the members of its input as keyword arguments.

    api = Rostrum("https://talks.example.com", token="rst_key_...")
    session = api.create_session(title="Grid storage", slides=[{"textContent": "Why store power?"}], isLive=True)
    for page in api.pages(api.list_sessions):
        print([each["title"] for each in page["sessions"]])
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import time
import uuid
from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

_unset: Any = object()


class RostrumError(Exception):
    """The problem document (RFC 9457) of a refused call."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[str] = None) -> None:
        super().__init__(problem.get("detail") or f"The service answered {status}.")
        self.status = status
        self.code: str = problem.get("code", "unknown")
        self.problem = problem
        self.retry_after = int(retry_after) if retry_after and retry_after.isdigit() else None


class _Base:
    def __init__(self, base_url: str, token: Optional[str] = None, *, retries: int = 2, wait_max: int = 60, timeout: float = 60) -> None:
        """`retries`: how often a call is sent again that was told to come later (429, 503 with `Retry-After`), of `wait_max` seconds at most."""
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.retries = retries
        self.wait_max = wait_max
        self.timeout = timeout

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = _unset,
        raw: Optional[Tuple[str, bytes]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not _unset}
        url = self.base_url + path + ("?" + urlencode(given) if given else "")
        headers = {"Accept": "application/json"}
        data = None
        if self.token is not None:
            headers["Authorization"] = "Bearer " + self.token
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if raw is not None:
            headers["Content-Type"], data = raw
        elif body is not _unset:
            headers["Content-Type"] = "application/json"
            data = json.dumps({name: value for name, value in body.items() if value is not _unset}).encode()
        tried = 0
        while True:
            try:
                with urlopen(Request(url, data, headers, method=method), timeout=self.timeout) as answer:
                    text = answer.read()
                    return json.loads(text) if text else {}
            except HTTPError as refusal:
                error = _error_of(refusal)
                if error.status not in (429, 503) or error.retry_after is None or error.retry_after > self.wait_max or tried >= self.retries:
                    raise error from None
                tried += 1
                time.sleep(error.retry_after)

    def _upload(self, method: str, path: str, files: Sequence[Tuple[str, bytes]]) -> Any:
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quote(name)}"\r\n'.encode()
            + b"Content-Type: application/octet-stream\r\n\r\n"
            + data
            + b"\r\n"
            for name, data in files
        ]
        return self._call(method, path, raw=(f"multipart/form-data; boundary={boundary}", b"".join(parts) + f"--{boundary}--\r\n".encode()))

    def pages(self, operation: Callable[..., Any], **members: Any) -> Iterator[Any]:
        """A list, page after page, until there is no more: `api.pages(api.list_sessions, limit=50)`."""
        while True:
            page = operation(**members)
            yield page
            if page.get("nextCursor") is None:
                return
            members["cursor"] = page["nextCursor"]

    def follow_run(self, stream: str, token: Optional[str] = None, after: Optional[str] = None) -> Iterator[Any]:
        """Each message of a run until `closed`, with `event`, `data` and mostly `id`; a lost connection is taken up again where it
        ended. `stream`: of joining a room, with `attendeeToken` as the token, or the id of a run of one's own."""
        url = stream if "://" in stream else f"{self.base_url}/api/v1/runs/{quote(stream)}/stream"
        failures = 0
        while True:
            headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {token or self.token}"}
            if after is not None:
                headers["Last-Event-ID"] = after
            wait = 0.0
            try:
                # The service sends a comment every 15 seconds.
                with urlopen(Request(url, headers=headers), timeout=35) as answer:
                    for message in _messages(answer):
                        failures = 0
                        after = message.get("id", after)
                        yield message
                        if message["event"] == "closed":
                            return
            except HTTPError as refusal:
                error = _error_of(refusal)
                if error.status < 500 and error.status != 429:
                    raise error from None
                wait = error.retry_after or 0.0
            except OSError:
                pass
            time.sleep(max(wait, random.random() * min(8.0, 0.3 if failures == 0 else 0.5 * 2 ** (failures - 1))))
            failures += 1


def _messages(lines: Any) -> Iterator[Dict[str, Any]]:
    message: Dict[str, Any] = {}
    data: List[str] = []
    for line in lines:
        text = line.decode().rstrip("\r\n")
        field, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if text == "" and data:
            yield {"event": "message", **message, "data": json.loads("\n".join(data))}
        if text == "":
            message, data = {}, []
        elif field == "data":
            data.append(value)
        elif field in ("event", "id"):
            message[field] = value


def _error_of(refusal: HTTPError) -> RostrumError:
    try:
        problem = json.loads(refusal.read())
    except ValueError:
        problem = {}
    return RostrumError(refusal.code, problem, refusal.headers.get("Retry-After"))


def _part(value: Any) -> str:
    return quote(_text(value), safe="")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secrets: Union[str, Sequence[str]], *, tolerance: int = 300, now: Optional[float] = None
) -> bool:
    """Whether a delivery is authentic (Standard Webhooks, `v1`): `body` byte for byte as it came, any of the `whsec_...` secrets."""
    given = {name.lower(): value for name, value in headers.items()}
    ident, stamp, signatures = (given.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not ident or not stamp.isdigit() or abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        return False
    signed = f"{ident}.{stamp}.".encode() + body
    found = [entry[3:] for entry in signatures.split(" ") if entry.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        wanted = base64.b64encode(hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(wanted, each) for each in found):
            return True
    return False
