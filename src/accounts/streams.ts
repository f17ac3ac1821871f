// Open streams by the credential or sign-in they were opened with: its end, by revocation or expiry, closes them within a second,
// on every node (spec 5.7). The doorbell is a hint; a poll of what was ended is the truth.
import type { Clock } from '../platform/clock.ts'
import type { Principal } from '../platform/principal.ts'
import type { Store } from '../platform/db/store.ts'

export interface OpenStreams {
  /**
   * Calls `close` once when the principal's credential is ended. The returned function forgets the stream; undefined where the
   * principal has no credential, as an attendee has none.
   */
  track(principal: Principal, close: () => void): (() => void) | undefined
  stop(): void
}

const pollMs = 500
/** Ends are looked at again for this long, because clocks of nodes differ and commits come late. */
const overlapMs = 5_000

export function createOpenStreams(store: Store, clock: Clock, onFailure: (error: unknown) => void): OpenStreams {
  const open = new Map<string, Set<() => void>>()
  let lookedAt = 0
  let cancel: (() => void) | undefined
  let unlisten: (() => void) | undefined
  let isLooking = false

  function closeAll(id: string): void {
    const streams = open.get(id)
    open.delete(id)
    for (const close of streams ?? []) close()
  }

  async function look(): Promise<void> {
    if (isLooking || open.size === 0) return
    isLooking = true
    try {
      const now = clock.now()
      const since = lookedAt - overlapMs
      const credentials = await store.read.selectFrom('credentials').select('id').where('revoked_at', '>=', since).execute()
      const expired = await store.read
        .selectFrom('credentials')
        .select('id')
        .where('expires_at', '>=', since)
        .where('expires_at', '<=', now)
        .execute()
      const signIns = await store.read.selectFrom('sign_ins').select('id').where('ended_at', '>=', since).execute()
      lookedAt = now
      for (const { id } of [...credentials, ...expired, ...signIns]) closeAll(id)
    } finally {
      isLooking = false
    }
  }

  /** Polls only while a stream is open. */
  function lookLater(): void {
    cancel ??= clock.after(pollMs, () => {
      cancel = undefined
      look()
        .catch(onFailure)
        .finally(() => {
          if (open.size > 0) lookLater()
        })
    })
  }

  return {
    track(principal, close) {
      const id = principal.kind === 'user' ? principal.signInId : 'credentialId' in principal ? principal.credentialId : undefined
      if (id === undefined) return undefined
      if (open.size === 0) lookedAt = clock.now()
      unlisten ??= store.listen('credentials', () => void look().catch(onFailure))
      const streams = open.get(id) ?? new Set()
      open.set(id, streams.add(close))
      lookLater()
      return () => {
        streams.delete(close)
        if (streams.size === 0 && open.get(id) === streams) open.delete(id)
      }
    },
    stop() {
      cancel?.()
      unlisten?.()
    },
  }
}
