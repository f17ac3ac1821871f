// Kept answers of repeated POSTs. The first call with a key takes its row; a duplicate finds it and waits or gets the answer.
import { systemIds } from '../ids.ts'
import type { Store, Tx } from './store.ts'
import type { IdempotencyRow } from './tables/sessions.ts'
import { contextOf } from './transaction-context.ts'

const keptMs = 86_400_000
/** A call that never ended (its process died) stops blocking its key after this; one that runs renews its claim before. */
const runningMs = 60_000
/** No HTTP status: the first call is still running. */
const running = 0

interface Kept {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

interface Claim {
  id: string
  token: string
}

export interface IdempotencyRows {
  /** A claim takes the key for the caller; of two at once exactly one gets it. Expired rows are removed on the way. */
  begin(id: string, bodyHash: string, now: number): Promise<Claim | 'running' | 'other_body' | Kept>
  renew(claim: Claim, now: number): Promise<void>
  /** In the transaction `tx` of the work, or by itself. False, and nothing is kept, where the claim was lost. */
  keep(claim: Claim, answer: Kept, now: number, tx?: object): Promise<boolean>
  abandon(claim: Claim): Promise<void>
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
        const token = systemIds.uuid()
        const taken = await store.write(async (tx) => {
          await tx.deleteFrom('idempotency').where('expires_at', '<=', now).execute()
          const row = { id, body_hash: bodyHash, status: running, response: token, expires_at: now + runningMs }
          return tx
            .insertInto('idempotency')
            .values(row)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .returning('id')
            .executeTakeFirst()
        })
        return taken === undefined ? 'running' : { id, token }
      }
      if (found.body_hash !== bodyHash) return 'other_body'
      if (found.status === running) return 'running'
      // Only `keep` writes a response.
      const { headers, body } = JSON.parse(found.response) as Omit<Kept, 'status'>
      return { status: found.status, headers, body }
    },
    async renew(claim, now) {
      await store.write((tx) => claimed(tx, claim, { expires_at: now + runningMs }))
    },
    keep(claim, { status, headers, body }, now, tx) {
      const change = { status, response: JSON.stringify({ headers, body }), expires_at: now + keptMs }
      return tx === undefined ? store.write((own) => claimed(own, claim, change)) : claimed(ofStore(tx), claim, change)
    },
    async abandon({ id, token }) {
      await store.write((tx) =>
        tx.deleteFrom('idempotency').where('id', '=', id).where('status', '=', running).where('response', '=', token).execute(),
      )
    },
  }
}

/** Changes the row while it is the claim's. */
async function claimed(tx: Tx, { id, token }: Claim, change: Partial<IdempotencyRow>): Promise<boolean> {
  const row = await tx
    .updateTable('idempotency')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', running)
    .where('response', '=', token)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The surfaces hand transactions through without knowing them; what is none has no context, and throws. */
function ofStore(tx: object): Tx {
  contextOf(tx as Tx)
  return tx as Tx
}
