// Where deliveries go and what signs them: subscriptions as the dispatcher reads them before each attempt. Kept for a second
// at most, and forgotten as soon as a change rings.
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { holdsContacts } from '../kernel/events.ts'
import type { Scope } from '../kernel/principal.ts'
import type { Store } from '../storage/store.ts'
import type { SubscriptionRow } from '../storage/tables/webhooks.ts'
import type { RawSql } from './raw-sql.ts'
import { ed25519Key, type SigningKeys, type Vault } from './signature.ts'

export interface Endpoint {
  url: string
  isDisabled: boolean
  /** Undefined where the secret cannot be opened: `ROSTRUM_SECRET` is another than it was. */
  keys: SigningKeys | undefined
}

export interface Endpoints {
  /** Null where there is no such subscription, or it was deleted. */
  get(id: string): Endpoint | null | Promise<Endpoint | null>
  forget(id: string): void
}

const keptMs = 1_000
const keptMax = 2_000

interface Parts {
  store: Store
  sql: RawSql
  vault: Vault
  clock: Clock
}

type Columns = Pick<
  SubscriptionRow,
  'url' | 'disabled_reason' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'ed25519_seed' | 'public_key'
>

const columns = 'url, disabled_reason, secret, previous_secret, previous_secret_until, ed25519_seed, public_key'
const select = `SELECT ${columns} FROM webhook_subscriptions WHERE id = ? AND deleted_at IS NULL`

export function createEndpoints({ store, sql, vault, clock }: Parts): Endpoints {
  const kept = new Map<string, { endpoint: Endpoint | null; until: number }>()
  const loading = new Map<string, Promise<Endpoint | null>>()

  async function load(id: string): Promise<Endpoint | null> {
    const [row] = await sql.run<Columns>(store.read, select, [id])
    return row === undefined ? null : { url: row.url, isDisabled: row.disabled_reason !== null, keys: keysOf(id, row) }
  }

  function keysOf(id: string, row: Columns): SigningKeys | undefined {
    const newest = vault.open(row.secret, id)
    if (newest === undefined) return undefined
    const isGrace = row.previous_secret !== null && (row.previous_secret_until ?? 0) > clock.now()
    const old = isGrace && row.previous_secret !== null ? vault.open(row.previous_secret, id) : undefined
    // Prepared once: a key given as bytes is prepared for every signature.
    const hmac = (old === undefined ? [newest] : [newest, old]).map((key) => createSecretKey(key))
    const ed25519 = row.public_key === null ? undefined : privateKey(id, row.ed25519_seed)
    return ed25519 === undefined ? { hmac } : { hmac, ed25519 }
  }

  function privateKey(id: string, sealed: Uint8Array | null): KeyObject | undefined {
    const seed = sealed === null ? undefined : vault.open(sealed, id)
    return seed === undefined ? undefined : ed25519Key(seed)
  }

  return {
    get(id) {
      const known = kept.get(id)
      if (known !== undefined && known.until > clock.now()) return known.endpoint
      const running = loading.get(id)
      if (running !== undefined) return running
      const started = load(id).then(
        (endpoint) => {
          // A change that rang meanwhile has taken this load off the list: what it read may be old.
          if (loading.get(id) === started) {
            loading.delete(id)
            if (kept.size >= keptMax) kept.clear()
            kept.set(id, { endpoint, until: clock.now() + keptMs })
          }
          return endpoint
        },
        (error: unknown) => {
          if (loading.get(id) === started) loading.delete(id)
          throw error
        },
      )
      loading.set(id, started)
      return started
    },
    forget(id) {
      kept.delete(id)
      loading.delete(id)
    },
  }
}

// Who answers for a subscription: the credential that made it. Once that is revoked, has expired or has lost a scope that the
// events need, nothing more is sent.

/** The scopes of a live credential; null where it is revoked, expired or unknown. `auth` answers. */
export type CredentialScopes = (credentialId: string, now: number) => Promise<readonly Scope[] | null>

export interface Owners {
  isAlive(credentialId: string | null, eventTypes: readonly string[]): Promise<boolean>
}

const scopesKeptMs = 5_000
const scopesKeptMax = 10_000

/** What receiving these events needs. */
export function scopesFor(eventTypes: readonly string[]): readonly Scope[] {
  return eventTypes.some(holdsContacts) ? ['sessions:read', 'leads:read'] : ['sessions:read']
}

export function createOwners(credentialScopes: CredentialScopes, clock: Clock): Owners {
  const kept = new Map<string, { scopes: readonly Scope[] | null; until: number }>()
  return {
    async isAlive(credentialId, eventTypes) {
      if (credentialId === null) return true
      const now = clock.now()
      let known = kept.get(credentialId)
      if (known === undefined || known.until <= now) {
        if (kept.size >= scopesKeptMax) kept.clear()
        known = { scopes: await credentialScopes(credentialId, now), until: now + scopesKeptMs }
        kept.set(credentialId, known)
      }
      const held = known.scopes
      return held !== null && scopesFor(eventTypes).every((scope) => held.includes(scope))
    },
  }
}
