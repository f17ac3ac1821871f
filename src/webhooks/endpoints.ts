// Where deliveries go and what signs them: subscriptions as the dispatcher reads them before each attempt. Kept for a second
// at most, and forgotten as soon as a change rings.
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { holdsContacts } from '../contract/events.ts'
import type { Scope } from '../platform/principal.ts'
import type { Vault } from '../platform/vault.ts'
import type { Store } from '../platform/db/store.ts'
import type { SubscriptionRow } from '../platform/db/tables.ts'
import { ed25519Key, type SigningKeys } from './signature.ts'
import { eventTypesOf } from './subscription.ts'

export interface Endpoint {
  url: string
  /** Why nothing is sent: it is disabled, or whoever made it has lost the right to. */
  stopped: 'disable' | 'revoked' | null
  /** Undefined where the secret cannot be opened: `ROSTRUM_SECRET` is another than it was. */
  keys: SigningKeys | undefined
}

export interface Endpoints {
  /** Null where there is no such subscription, or it was deleted. */
  get(id: string): Promise<Endpoint | null>
  forget(id: string): void
}

const keptMs = 1_000
const keptMax = 2_000

interface Parts {
  store: Store
  vault: Vault
  clock: Clock
  credentialScopes: CredentialScopes
}

export function createEndpoints({ store, vault, clock, credentialScopes }: Parts): Endpoints {
  const kept = new Map<string, { endpoint: Promise<Endpoint | null>; until: number }>()

  async function load(id: string): Promise<Endpoint | null> {
    const found = store.read.selectFrom('webhook_subscriptions').selectAll().where('id', '=', id).where('deleted_at', 'is', null)
    const row = await found.executeTakeFirst()
    if (row === undefined) return null
    const isRevoked = row.disabled_reason === null && !(await hasOwner(row))
    return { url: row.url, stopped: row.disabled_reason !== null ? 'disable' : isRevoked ? 'revoked' : null, keys: keysOf(id, row) }
  }

  /** The credential that answers for it is neither revoked nor expired, and has the scopes that the events need. */
  async function hasOwner({ owner_credential_id: owner, event_types }: SubscriptionRow): Promise<boolean> {
    const held = owner === null ? null : await credentialScopes(owner, clock.now())
    return owner === null || (held !== null && scopesFor(eventTypesOf(event_types)).every((scope) => held.includes(scope)))
  }

  function keysOf(id: string, row: SubscriptionRow): SigningKeys | undefined {
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
      const endpoint = load(id)
      endpoint.catch(() => kept.delete(id))
      if (kept.size >= keptMax) kept.clear()
      kept.set(id, { endpoint, until: clock.now() + keptMs })
      return endpoint
    },
    forget: (id) => void kept.delete(id),
  }
}

/** The scopes of a live credential; null where it is revoked, expired or unknown. `auth` answers. */
export type CredentialScopes = (credentialId: string, now: number) => Promise<readonly Scope[] | null>

/** What receiving these events needs. */
function scopesFor(eventTypes: readonly string[]): readonly Scope[] {
  return eventTypes.some(holdsContacts) ? ['sessions:read', 'leads:read'] : ['sessions:read']
}
