// Refused scopes and crossed limits in the audit log, once an hour for each caller and reason, on all nodes together: enough to see
// what went on, and nothing that a caller could flood.
import { createHash } from 'node:crypto'
import type { Ids } from '../../kernel/ids.ts'
import type { Call } from '../../kernel/operation.ts'
import { actsForAccount } from '../../kernel/principal.ts'
import type { Store } from '../../storage/store.ts'
import type { Act } from '../audit.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { RateLimiter } from './limiter.ts'

export interface AuditedDeps {
  store: Store
  ids: Ids
  onFailure: (error: unknown) => void
}

const hourMs = 3_600_000

type Caller = Pick<Call, 'principal' | 'address' | 'now'> & Partial<Pick<Call, 'requestId'>>

/** The same limiter; what it writes never delays or fails a call. `settled` waits for what is being written. */
export function auditedLimiter(limiter: RateLimiter, { store, ids, onFailure }: AuditedDeps): RateLimiter & { settled(): Promise<void> } {
  let hour = -1
  let noted = new Set<string>()
  let writing: Promise<unknown> = Promise.resolve()

  function note(caller: Caller, action: string, data: Act['data']): void {
    const { principal, now, requestId = null } = caller
    // Strangers share one line an hour, or addresses without number would fill the log.
    const isKnown = actsForAccount(principal)
    const actor = { ...actorOf({ principal, address: caller.address, requestId: '', now }), requestId }
    const present = Math.floor(now / hourMs)
    if (present !== hour) [hour, noted] = [present, new Set()]
    const key = `${action} ${JSON.stringify(data)} ${isKnown ? `${actor.kind} ${actor.id ?? ''}` : 'strangers'} ${present}`
    if (noted.has(key)) return
    noted.add(key)
    const act = { id: idOf(key), action, accountId: isKnown ? principal.accountId : null, ...(data && { data }) }
    const written = store.write((tx) => recordAct(tx, ids, actor, act)).catch(onFailure)
    writing = Promise.all([writing, written])
  }

  return {
    ...limiter,
    async consume(bucket, caller) {
      const verdict = await limiter.consume(bucket, caller)
      if (!verdict.allowed) note(caller, 'limit.crossed', { limit: bucket })
      return verdict
    },
    async settled() {
      await writing
    },
    scopeRefused: (call, needed) => note(call, 'scope.refused', { needed }),
  }
}

/** Of the many nodes that note the same, one writes. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
