// "Last used" of credentials and sign-ins: noted in memory, at most once a minute each, and written together every ten
// seconds, because a durable write per request would cost more than the request.
import type { Clock } from '../platform/clock.ts'
import type { Store, Tx } from '../platform/db/store.ts'

const notedEveryMs = 60_000
const flushEveryMs = 10_000

export interface Activity {
  /** `lastAt` is what the store has. */
  used(kind: 'credential' | 'sign_in', id: string, lastAt: number | null, now: number): void
  flush(): Promise<void>
  /** Writes what is noted and stops. */
  close(): Promise<void>
}

export function createActivity(store: Store, clock: Clock, onFailure: (error: unknown) => void = () => undefined): Activity {
  let noted = new Map<string, { kind: 'credential' | 'sign_in'; id: string; at: number }>()
  let cancel: (() => void) | undefined
  let written: Promise<void> = Promise.resolve()

  /** Also waits for a write that an earlier call began. */
  function flush(): Promise<void> {
    cancel?.()
    cancel = undefined
    const batch = [...noted.values()]
    noted = new Map()
    if (batch.length === 0) return written
    const writing = written.then(() => write(batch))
    written = writing.catch(() => undefined)
    return writing
  }

  async function write(batch: readonly { kind: 'credential' | 'sign_in'; id: string; at: number }[]): Promise<void> {
    await store.write(async (tx) => {
      for (const { kind, id, at } of batch) {
        if (kind === 'credential') await markUsed(tx, id, at)
        else await tx.updateTable('sign_ins').set({ seen_at: at }).where('id', '=', id).where('seen_at', '<', at).execute()
      }
    })
  }

  return {
    used(kind, id, lastAt, now) {
      if (lastAt !== null && now - lastAt < notedEveryMs) return
      noted.set(id, { kind, id, at: now })
      cancel ??= clock.after(flushEveryMs, () => {
        cancel = undefined
        flush().catch(onFailure)
      })
    },
    flush,
    close: flush,
  }
}

/** Never back in time: another node may have noted a later use. */
async function markUsed(tx: Tx, id: string, at: number): Promise<void> {
  await tx
    .updateTable('credentials')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
    .execute()
}
