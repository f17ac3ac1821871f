<?php // Shown in /docs/webhooks and run by its test, so that what readers copy is what works.

/** $headers: by lower-case name; $body: the bytes exactly as they came. */
function is_authentic(array $headers, string $body, string $secret): bool
{
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = "{$headers['webhook-id']}.{$headers['webhook-timestamp']}.{$body}";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    $isRecent = abs(time() - (int) $headers['webhook-timestamp']) < 300;
    $matches = array_filter(explode(' ', $headers['webhook-signature']), fn ($given) => hash_equals($expected, $given));
    return $isRecent && count($matches) > 0;
}
