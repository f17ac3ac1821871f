// Kept answers of repeated POSTs. The first call with a key takes its row; a duplicate finds it and waits or gets the answer.
import type { Store } from './store.ts'

const keptMs = 86_400_000
/** A call that never ended (its process died) stops blocking its key after this. */
const runningMs = 60_000
/** No HTTP status: the first call is still running. */
const running = 0

interface Kept {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

export interface IdempotencyRows {
  /** `new` takes the key for the caller; of two at once exactly one gets it. Expired rows are removed on the way. */
  begin(id: string, bodyHash: string, now: number): Promise<'new' | 'running' | 'other_body' | Kept>
  keep(id: string, answer: Kept, now: number): Promise<void>
  abandon(id: string): Promise<void>
}

export function idempotencyRows(store: Store): IdempotencyRows {
  return {
    async begin(id, bodyHash, now) {
      const found = await store.read
        .selectFrom('idempotency')
        .selectAll()
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (found === undefined) {
        const taken = await store.write(async (tx) => {
          await tx.deleteFrom('idempotency').where('expires_at', '<=', now).execute()
          const row = { id, body_hash: bodyHash, status: running, response: '', expires_at: now + runningMs }
          return tx
            .insertInto('idempotency')
            .values(row)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .returning('id')
            .executeTakeFirst()
        })
        return taken === undefined ? 'running' : 'new'
      }
      if (found.body_hash !== bodyHash) return 'other_body'
      if (found.status === running) return 'running'
      // Only `keep` writes a response.
      const { headers, body } = JSON.parse(found.response) as Omit<Kept, 'status'>
      return { status: found.status, headers, body }
    },
    async keep(id, { status, headers, body }, now) {
      const response = JSON.stringify({ headers, body })
      await store.write((tx) =>
        tx
          .updateTable('idempotency')
          .set({ status, response, expires_at: now + keptMs })
          .where('id', '=', id)
          .execute(),
      )
    },
    async abandon(id) {
      await store.write((tx) => tx.deleteFrom('idempotency').where('id', '=', id).where('status', '=', running).execute())
    },
  }
}
