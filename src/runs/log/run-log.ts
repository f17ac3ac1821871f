// The log of a run: a gapless sequence of run events that only the owner of the run may append to, under the epoch of its lease. Everything
// an attendee sees is a read of it: the stored bytes are the sent bytes.
import { isSentType, type RunEvent } from '../../contract/room.ts'
import { type Reader, ringAfter, type Tx } from '../../platform/db/store.ts'
import type { RunEventRow } from '../tables.ts'

export interface NewRunEvent {
  at: number
  /** `room`, `host`, or the id of one attendee. */
  audience: string
  type: string
  data: Readonly<Record<string, unknown>>
}

/** Rung after events of the run commit. */
export const runTopic = (runId: string): string => `run:${runId}`

/**
 * Appends `events` in order and returns them as stored, or `'lost'` when `epoch` is no longer the run's: then nothing was
 * written, another process owns the run, and the caller stops at once (and throws, to roll back what else it wrote in `tx`).
 * The counter row is taken under the epoch's condition and stays locked until the transaction ends, so no new owner can begin
 * between the check and the rows.
 */
export async function appendRunEvents(
  tx: Tx,
  { runId, epoch, events }: { runId: string; epoch: number; events: readonly NewRunEvent[] },
): Promise<RunEventRow[] | 'lost'> {
  const counter = await tx
    .updateTable('runs')
    .set((eb) => ({ last_seq: eb('last_seq', '+', events.length) }))
    .where('id', '=', runId)
    .where('epoch', '=', epoch)
    .returning('last_seq')
    .executeTakeFirst()
  if (counter === undefined) return 'lost'
  if (events.length === 0) return []
  const firstSeq = counter.last_seq - events.length + 1
  const rows = events.map(({ at, audience, type, data }, i) => ({
    run_id: runId,
    seq: firstSeq + i,
    epoch,
    at,
    audience,
    type,
    data: JSON.stringify(data),
  }))
  // SQLite takes at most 32,766 parameters in a statement.
  for (let i = 0; i < rows.length; i += 500)
    await tx
      .insertInto('run_events')
      .values(rows.slice(i, i + 500))
      .execute()
  ringAfter(tx, runTopic(runId))
  return rows
}

/** The events after `afterSeq` (0 for all), in order, at most `limit`. */
export async function readRunEvents(read: Reader, runId: string, afterSeq: number, limit: number): Promise<RunEventRow[]> {
  return read
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

// A stored row of the log as a run event, and as the message that a stream carries: the stored bytes are the sent bytes.

/** Rows are written by the presenter alone, from events of this very type. */
export function eventOf(row: Omit<RunEventRow, 'run_id'>): RunEvent {
  const { prev, ...data } = JSON.parse(row.data) as { prev?: number }
  const { type, seq, epoch, at, audience } = row
  return { type, data, audience, seq, epoch, at, ...(prev === undefined ? {} : { prev }) } as RunEvent
}

export const isSent = (row: { audience: string; type: string }): boolean => row.audience !== 'log' && isSentType(row.type)

/** The `data:` of the message. */
export function messageData(row: Pick<RunEventRow, 'seq' | 'at' | 'data'>): string {
  const rest = row.data === '{}' ? '}' : `,${row.data.slice(1)}`
  return `{"seq":${row.seq},"at":${row.at}${rest}`
}

export const eventId = (row: Pick<RunEventRow, 'epoch' | 'seq'>): string => `${row.epoch}-${row.seq}`

export function parseCursor(text: string | undefined): { epoch: number; seq: number } | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '')
  return match === null ? null : { epoch: Number(match[1]), seq: Number(match[2]) }
}

/** One whole message of `text/event-stream`. */
export function frameOf(row: Pick<RunEventRow, 'epoch' | 'seq' | 'at' | 'type' | 'data'>): Buffer {
  return Buffer.from(`id: ${eventId(row)}\nevent: ${row.type}\ndata: ${messageData(row)}\n\n`)
}
