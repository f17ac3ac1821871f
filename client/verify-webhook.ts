// Verifies a signed webhook (spec 6.3, Standard Webhooks) with WebCrypto, so it runs in Node, Deno, Bun, workers and browsers.

/** Why a delivery was not accepted. */
export type WebhookRefusal = 'missing_header' | 'bad_timestamp' | 'too_old' | 'too_new' | 'bad_secret' | 'no_match'

export type WebhookVerdict = { ok: true; id: string; timestamp: number } | { ok: false; reason: WebhookRefusal }

export interface VerifyOptions {
  /** How far the timestamp may be from now. 300 unless said otherwise. */
  toleranceSeconds?: number
  /** Unix seconds; the present time unless said otherwise. */
  now?: number
}

/** Anything that can be asked for a header: a `Headers`, or a plain object with lower-case names (as Node has it). */
export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Checks the `webhook-signature` of `rawBody`, byte for byte as it was received, against any of `secrets`: `whsec_...`
 * (HMAC-SHA-256, `v1`) or `whpk_...` (Ed25519 public key, `v1a`). Compares in constant time. Never throws for what a sender
 * can send. Use `id` to recognise a delivery that comes twice.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Math.floor(Date.now() / 1000) }: VerifyOptions = {},
): Promise<WebhookVerdict> {
  const id = headerOf(headers, 'webhook-id')
  const stamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !stamp || !signatures) return { ok: false, reason: 'missing_header' }
  if (!/^\d{1,15}$/.test(stamp)) return { ok: false, reason: 'bad_timestamp' }
  const timestamp = Number(stamp)
  if (timestamp < now - toleranceSeconds) return { ok: false, reason: 'too_old' }
  if (timestamp > now + toleranceSeconds) return { ok: false, reason: 'too_new' }

  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const signed = concat(new TextEncoder().encode(`${id}.${stamp}.`), body)
  const given = signatures.split(' ')
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await importKey(secret)
    if (key === undefined) return { ok: false, reason: 'bad_secret' }
    for (const entry of given) {
      const comma = entry.indexOf(',')
      if (comma === -1 || entry.slice(0, comma) !== key.version) continue
      const signature = fromBase64(entry.slice(comma + 1))
      // WebCrypto compares in constant time.
      if (signature !== undefined && (await crypto.subtle.verify(key.algorithm, key.key, signature, signed))) {
        return { ok: true, id, timestamp }
      }
    }
  }
  return { ok: false, reason: 'no_match' }
}

interface Key {
  key: CryptoKey
  algorithm: 'HMAC' | 'Ed25519'
  version: 'v1' | 'v1a'
}

async function importKey(secret: string): Promise<Key | undefined> {
  const isPublic = secret.startsWith('whpk_')
  const bytes = fromBase64(secret.replace(/^wh(?:sec|pk)_/, ''))
  if (bytes === undefined || bytes.length === 0) return undefined
  try {
    return isPublic
      ? { key: await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']), algorithm: 'Ed25519', version: 'v1a' }
      : {
          key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']),
          algorithm: 'HMAC',
          version: 'v1',
        }
  } catch {
    return undefined
  }
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}
