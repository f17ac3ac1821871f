// A stored row of the log as a run event, and as the message that a stream carries: the stored bytes are the sent bytes.
import type { RunEventRow } from '../../platform/db/tables/runs.ts'
import { isSentType, type RunEvent } from '../../contract/room.ts'

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

/** One whole message of `text/event-stream`. */
export function frameOf(row: Pick<RunEventRow, 'epoch' | 'seq' | 'at' | 'type' | 'data'>): Buffer {
  return Buffer.from(`id: ${eventId(row)}\nevent: ${row.type}\ndata: ${messageData(row)}\n\n`)
}
