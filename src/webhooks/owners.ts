// Who answers for a subscription: the credential that made it. Once that is revoked, has expired or has lost a scope that the
// events need, nothing more is sent.
import { holdsContacts } from '../kernel/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Scope } from '../kernel/principal.ts'

/** The scopes of a live credential; null where it is revoked, expired or unknown. `auth` answers. */
export type CredentialScopes = (credentialId: string, now: number) => Promise<readonly Scope[] | null>

export interface Owners {
  isAlive(credentialId: string | null, eventTypes: readonly string[]): Promise<boolean>
}

const keptMs = 5_000
const keptMax = 10_000

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
        if (kept.size >= keptMax) kept.clear()
        known = { scopes: await credentialScopes(credentialId, now), until: now + keptMs }
        kept.set(credentialId, known)
      }
      const held = known.scopes
      return held !== null && scopesFor(eventTypes).every((scope) => held.includes(scope))
    },
  }
}
