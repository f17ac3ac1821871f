# Shown in /docs/webhooks and run by its test, so that what readers copy is what works.
import base64, hashlib, hmac, time


def is_authentic(headers, body, secret):
    """`headers` by lower-case name; `body` the bytes exactly as they came."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    is_recent = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    given = [each[3:] for each in headers["webhook-signature"].split(" ") if each.startswith("v1,")]
    return is_recent and any(hmac.compare_digest(expected, each) for each in given)
