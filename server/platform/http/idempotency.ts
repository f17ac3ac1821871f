// `Idempotency-Key`: a repeat of a POST with the same key and body gets the same answer for a day, with another body a 409.
// Only successes are kept: a call that failed changed nothing, so its repeat runs.
import { createHash } from 'node:crypto'
import { type Clock, systemIds } from '@rostrum/base/clock'
import { contextOf, type Store, type Tx } from '../db/store.ts'
import type { IdempotencyRow } from '../db/tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { Call, Operation } from '../operation.ts'
import type { Principal } from '../principal.ts'
import type { Answer } from './exchange.ts'

/** How long a duplicate waits for the first call before it is told to come back. */
const waitMs = 10_000
const pollMs = 50
/** A claim lasts a minute: two renewals may fail. */
const renewMs = 20_000

export interface Once {
  key: string
  /** Method, address and body, which must repeat with the key. */
  fingerprint(): string
  answer(result: unknown): Answer
  /** The call has succeeded, and its answer could not be kept. */
  onUnkept(error: unknown): void
}

/** Whether the header counts: there is a caller to tie it to, and the answer holds no secret that would have to be kept. */
export function repeatable(operation: Operation, method: string, principal: Principal): boolean {
  return method === 'POST' && !operation.secret && principal.kind !== 'nobody'
}

export function checkKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ServiceError('invalid_request', 'Send an `Idempotency-Key` of 1 to 255 visible ASCII characters.')
}

/** The operation with a handler that gives an Answer and runs at most once per key. Its input has been parsed by then. */
export function onlyOnce(operation: Operation, once: Once, store: KeptAnswers, clock: Clock): Operation {
  return { ...operation, handle: (input, call) => runOnce(operation, input, call, once, store, clock) }
}

/** The row of the key: each caller has their own for each operation. */
export const keyId = ({ name }: Operation, principal: Principal, key: string): string =>
  sha256(JSON.stringify([ownerOf(principal), name, key]))

async function runOnce(operation: Operation, input: unknown, call: Call, once: Once, store: KeptAnswers, clock: Clock): Promise<Answer> {
  const id = keyId(operation, call.principal, once.key)
  const begun = await begin(id, once.fingerprint(), store, clock)
  if (!('token' in begun)) return begun
  let isKept = false
  call.doneIn = async (tx, result) => {
    isKept = await store.keep(begun, keptOf(once.answer(result)), clock.now(), tx)
    if (!isKept) throw new ServiceError('conflict', 'A repeat of this request has taken its `Idempotency-Key` over: send it again.')
  }
  const stopRenewing = renewing(begun, store, clock)
  try {
    const result = await operation.handle(input, call).catch(async (error: unknown) => {
      // Leaves what was kept with the work.
      await store.abandon(begun)
      throw error
    })
    const answer = once.answer(result)
    // From here on the key stays taken whatever fails: the change is made, and giving the key up would make it twice.
    if (!isKept) await store.keep(begun, keptOf(answer), clock.now()).catch((error: unknown) => once.onUnkept(error))
    return answer
  } finally {
    stopRenewing()
  }
}

/** Runs `work` when no other of this name runs, here or on another node. */
export async function oneByOne<T>(name: string, work: () => Promise<T>, store: KeptAnswers, clock: Clock): Promise<T> {
  const begun = await begin(sha256(name), '', store, clock)
  if (!('token' in begun)) throw new Error('what runs one by one is never kept')
  const stopRenewing = renewing(begun, store, clock)
  try {
    return await work()
  } finally {
    stopRenewing()
    await store.abandon(begun)
  }
}

const keptOf = ({ status, headers, body }: Answer): Kept => ({ status, headers, body: body ?? '' })

/** However long the call takes, no repeat runs it beside. */
function renewing(claim: Claim, store: KeptAnswers, clock: Clock): () => void {
  let cancel: () => void
  const wait = () => {
    cancel = clock.after(renewMs, () => {
      // One that fails is made up for by the next.
      store.renew(claim, clock.now()).catch(() => undefined)
      wait()
    })
  }
  wait()
  return () => cancel()
}

/** The kept answer, or a claim when the caller is to run it. Waits for a duplicate that is running, here or on another node. */
async function begin(id: string, bodyHash: string, store: KeptAnswers, clock: Clock): Promise<Answer | Claim> {
  const deadline = clock.elapsed() + waitMs
  for (;;) {
    const state = await store.begin(id, bodyHash, clock.now())
    if (state === 'other_body') {
      throw new ServiceError('idempotency_conflict', 'This `Idempotency-Key` was used with another request: send a new key.')
    }
    if (state !== 'running') {
      if ('token' in state) return state
      return {
        status: state.status,
        headers: { ...state.headers, 'Idempotency-Replayed': 'true' },
        body: state.body === '' ? null : state.body,
      }
    }
    if (clock.elapsed() >= deadline) {
      throw new ServiceError('conflict', 'The first request of its kind is still running: repeat it in a moment.', {
        headers: { 'Retry-After': '1' },
      })
    }
    await new Promise<void>((resolve) => clock.after(pollMs, resolve))
  }
}

function ownerOf(principal: Principal): string {
  switch (principal.kind) {
    case 'nobody':
      return ''
    case 'user':
      // What was made in one account is not told of in another.
      return `${principal.userId} ${principal.accountId}`
    case 'attendee':
      return principal.attendeeId
    case 'api_key':
    case 'agent':
    case 'oauth':
      // An agent may repeat with another of its tokens, which live an hour.
      return principal.registrationId ?? principal.credentialId
  }
}

export function sha256(...parts: (string | Uint8Array)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part).update('\0')
  return digest.digest('base64url')
}

// Kept answers of repeated POSTs. The first call with a key takes its row; a duplicate finds it and waits or gets the answer.

const keptMs = 86_400_000
/** A call that never ended (its process died) stops blocking its key after this; one that runs renews its claim before. */
const runningMs = 60_000
/** No HTTP status: the first call is still running. */
const running = 0

interface Kept extends Answer {
  body: string
}

interface Claim {
  id: string
  token: string
}

export type KeptAnswers = ReturnType<typeof keptAnswers>

export function keptAnswers(store: Store) {
  return {
    /** A claim takes the key for the caller; of two at once exactly one gets it. Expired rows are removed on the way. */
    async begin(id: string, bodyHash: string, now: number): Promise<Claim | 'running' | 'other_body' | Kept> {
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
    /** The first call of its kind runs, or has succeeded. */
    async isTaken(id: string, now: number): Promise<boolean> {
      const row = store.read.selectFrom('idempotency').select('id').where('id', '=', id).where('expires_at', '>', now)
      return (await row.executeTakeFirst()) !== undefined
    },
    async renew(claim: Claim, now: number): Promise<void> {
      await store.write((tx) => claimed(tx, claim, { expires_at: now + runningMs }))
    },
    /** In the transaction `tx` of the work, or by itself. False, and nothing is kept, where the claim was lost. */
    keep(claim: Claim, { status, headers, body }: Kept, now: number, tx?: object): Promise<boolean> {
      const change = { status, response: JSON.stringify({ headers, body }), expires_at: now + keptMs }
      return tx === undefined ? store.write((own) => claimed(own, claim, change)) : claimed(ofStore(tx), claim, change)
    },
    async abandon({ id, token }: Claim): Promise<void> {
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
