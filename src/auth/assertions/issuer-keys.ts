// The keys of trusted issuers, from their pinned addresses through the outbound guard: kept ten minutes, used for a day while the
// issuer cannot be reached, and asked for again at most once a minute when a key id is new.
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import type { Outbound } from '../../outbound/outbound.ts'
import type { TrustedIssuer } from '../settings.ts'

export interface IssuerKeys {
  /** The key set, with the key `kid` in it if the issuer has one; undefined while it cannot be had. */
  get(issuer: TrustedIssuer, kid: string | undefined, now: number): Promise<JSONWebKeySet | undefined>
}

const freshMs = 10 * 60_000
const staleMs = 24 * 60 * 60_000
const againMs = 60_000
const bytesMax = 64 * 1_024
const timeoutMs = 5_000

/** Public members alone: private and symmetric keys have no place in a published set. */
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']) })).max(100) })

interface Kept {
  keys: JSONWebKeySet
  at: number
}

export function createIssuerKeys(outbound: Pick<Outbound, 'request'>): IssuerKeys {
  const kept = new Map<string, Kept>()
  const askedAt = new Map<string, number>()
  const asking = new Map<string, Promise<void>>()

  async function ask(url: string, now: number): Promise<void> {
    askedAt.set(url, now)
    const answer = await outbound.request({ url, headers: { accept: 'application/json' }, maxBytes: bytesMax, timeoutMs, redirects: 0 })
    if (!answer.ok || answer.status !== 200) return
    const parsed = parseKeys(answer.body)
    if (parsed !== undefined) kept.set(url, { keys: parsed, at: now })
  }

  return {
    async get({ jwks_uri: url }, kid, now) {
      const have = kept.get(url)
      const isNew = have !== undefined && kid !== undefined && !have.keys.keys.some((key) => key.kid === kid)
      const isOld = have === undefined || now - have.at > freshMs
      const mayAsk = now - (askedAt.get(url) ?? 0) >= againMs
      if ((isNew || isOld) && mayAsk) {
        const running = asking.get(url) ?? ask(url, now).finally(() => asking.delete(url))
        asking.set(url, running)
      }
      await asking.get(url)
      const found = kept.get(url)
      return found !== undefined && now - found.at <= staleMs ? found.keys : undefined
    },
  }
}

function parseKeys(body: Uint8Array): JSONWebKeySet | undefined {
  try {
    const parsed = keySet.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
