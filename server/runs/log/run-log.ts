// The log of a run: a gapless sequence of run events that only the owner of the run may append to, under the epoch of its lease. Everything
// an attendee sees is a read of it: the stored bytes are the sent bytes.
import type { CommandAnswer, RoomCommand } from '@rostrum/contract/commands'
import { isSentType, type RunEvent, type RunEventType } from '@rostrum/contract/room'
import type { Clock } from '@rostrum/base/clock'
import { type Reader, ringAfter, type Store, together, type Tx } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { RunCommandRow, RunEventRow } from '../tables.ts'

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

/** The events after `afterSeq` (0 for all), in order, at most `limit`; only those that `sees` may see, where one is named. */
export async function readRunEvents(
  read: Reader,
  runId: string,
  afterSeq: number,
  limit: number,
  sees?: string,
  types?: readonly RunEventType[],
): Promise<RunEventRow[]> {
  return read
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('seq', '>', afterSeq)
    .$if(sees !== undefined, (query) =>
      query.where((row) =>
        row.or([row('audience', 'in', ['room', sees ?? '']), ...(sees === 'host' ? [row('type', '=', 'question')] : [])]),
      ),
    )
    .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
    .orderBy('seq')
    .limit(limit)
    .execute()
}

const pageSize = 1_000

/** The log of a run; of `types` alone where some are named. */
export async function readLog(read: Reader, runId: string, types?: readonly RunEventType[]): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for (;;) {
    const rows = await readRunEvents(read, runId, events.at(-1)?.seq ?? 0, pageSize, undefined, types)
    for (const row of rows) events.push(eventOf(row))
    if (rows.length < pageSize) return events
  }
}

// A stored row of the log as a run event, and as the message that a stream carries: the stored bytes are the sent bytes.

/** Rows are written by the presenter alone, from events of this very type. */
export function eventOf(row: Omit<RunEventRow, 'run_id'>): RunEvent {
  const { prev, ...data } = JSON.parse(row.data) as { prev?: number }
  const { type, seq, epoch, at, audience } = row
  return { type, data, audience, seq, epoch, at, ...(prev === undefined ? {} : { prev }) } as RunEvent
}

export const isSent = (row: { audience: string; type: string }): boolean => row.audience !== 'log' && isSentType(row.type)

/** Whether a reader, an attendee's id or `host`, may see the row. A host sees what is private to an attendee only where it is a question. */
export function maySee(sees: string, row: { audience: string; type: string }): boolean {
  if (!isSent(row)) return false
  if (row.audience === 'room' || row.audience === sees) return true
  return sees === 'host' && row.type === 'question'
}

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

// Commands to a run, from any process: handed to the owner where that is this one, else written down, rung and waited for. The owner turns
// them into events in the order of their arrival; a repeat finds its first answer.

type NewRunCommand = Omit<RunCommandRow, 'handled_at' | 'answer'>

/** Rung after commands of the run commit. */
export const commandsTopic = (runId: string): string => `commands:${runId}`
/** Rung after this command was answered: of many who wait, the one it concerns looks. */
const answersTopic = (runId: string, id: string): string => `answers:${runId}:${id}`

/** Writes commands down and rings; a repeated id changes nothing. */
export async function noteCommands(tx: Tx, commands: readonly NewRunCommand[]): Promise<void> {
  const rows = commands.map((command) => ({ ...command, handled_at: null, answer: null }))
  await tx
    .insertInto('run_commands')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const runId of new Set(rows.map((row) => row.run_id))) ringAfter(tx, commandsTopic(runId))
}

/** Commands the owner has not handled yet, oldest first. There is no cursor that could skip one that committed late. */
export async function listWaitingCommands(read: Reader, runId: string, limit: number): Promise<RunCommandRow[]> {
  return read
    .selectFrom('run_commands')
    .selectAll()
    .where('run_id', '=', runId)
    .where('handled_at', 'is', null)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Keeps the answers to commands in the transaction that appends their events, and empties those that were written down: the one that came
 * straight to the owner may come by way of another process meanwhile, and the next owner would obey it again.
 */
export async function answerCommands(
  tx: Tx,
  runId: string,
  answered: readonly { command: RoomCommand; answer: CommandAnswer; isStored: boolean }[],
  at: number,
): Promise<void> {
  const rows = answered.map(({ command, answer }) => ({
    ...rowOf(runId, command, at),
    body: '{}',
    handled_at: at,
    answer: JSON.stringify(answer),
  }))
  if (rows.length === 0) return
  await tx
    .insertInto('run_commands')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'id'])
        .doUpdateSet((row) => ({ body: '{}', handled_at: at, answer: row.ref('excluded.answer') }))
        .where('run_commands.handled_at', 'is', null),
    )
    .execute()
  for (const { command, isStored } of answered) if (isStored) ringAfter(tx, answersTopic(runId, command.id))
}

/** The first answers to those of these commands that have had one. */
export async function answersTo(read: Reader, runId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CommandAnswer>> {
  if (ids.length === 0) return new Map()
  const rows = await read.selectFrom('run_commands').select(['id', 'answer']).where('run_id', '=', runId).where('id', 'in', ids).execute()
  // Only owners of runs write answers, as text of this type.
  return new Map(rows.flatMap(({ id, answer }) => (answer === null ? [] : [[id, JSON.parse(answer) as CommandAnswer]])))
}

export async function findCommand(read: Reader, runId: string, id: string): Promise<RunCommandRow | null> {
  const row = await read.selectFrom('run_commands').selectAll().where('run_id', '=', runId).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

// The port through which any process hands a command to the owner of the run.

export interface Runs {
  /** Resolves once what follows from the command is durable. Throws `temporarily_unavailable` when no owner answers in time. */
  submit(runId: string, command: RoomCommand): Promise<CommandAnswer>
  /** Resolves once the command is durable, with its run or written down for whoever presents it; nobody waits for an answer. */
  note(runId: string, command: RoomCommand): Promise<void>
  /** A run was created: this process takes it up at once if it presents, else whoever does. */
  adopt(runId: string): Promise<void>
}

/** Hands a command to the owner of the run and gives its answer, or throws its refusal. */
export async function askRun(runs: Runs, runId: string, command: RoomCommand): Promise<Readonly<Record<string, unknown>>> {
  const answer = await runs.submit(runId, command)
  if (!answer.ok) throw new ServiceError(answer.code, answer.detail)
  return answer.data
}

// Hands a command to whichever process presents the run: written down, rung, and waited for. A repeat finds its first answer.

const patienceMs = 8_000
const safetyPollMs = 500

/** Throws `temporarily_unavailable` when nobody presents the run; the command stays and a repeat gets its answer later. */
export async function askOwner(
  { store, clock }: { store: Store; clock: Clock },
  runId: string,
  command: RoomCommand,
): Promise<CommandAnswer> {
  const until = clock.now() + patienceMs
  const { id } = command
  let rung = Promise.withResolvers<void>()
  const stop = store.listen(answersTopic(runId, id), () => rung.resolve())
  try {
    await store.write((tx) => noteCommands(tx, [rowOf(runId, command, clock.now())]))
    for (;;) {
      const answer = (await answersTo(store.read, runId, [id])).get(id)
      if (answer !== undefined) return answer
      const leftMs = until - clock.now()
      if (leftMs <= 0)
        throw new ServiceError('temporarily_unavailable', 'The presenter is not answering. Try again.', { headers: { 'Retry-After': '2' } })
      const cancel = clock.after(Math.min(leftMs, safetyPollMs), () => rung.resolve())
      await rung.promise
      cancel()
      // What rings from here on wakes the next wait; what rang before is seen by the next look.
      rung = Promise.withResolvers()
    }
  } finally {
    stop()
  }
}

/** Writes down, for whoever presents the run, what nobody waits for; a crowd's commands of one moment in one transaction. */
export function ownerNotes({ store, clock }: { store: Store; clock: Clock }): (runId: string, command: RoomCommand) => Promise<void> {
  const note = together<NewRunCommand, void>(
    async (rows) => {
      await store.write((tx) => noteCommands(tx, rows))
      return rows.map(() => undefined)
    },
    { itemsMax: 200 },
  )
  return (runId, command) => note(rowOf(runId, command, clock.now()))
}

function rowOf(runId: string, command: RoomCommand, at: number): NewRunCommand {
  const { id, kind, attendeeId } = command
  return { run_id: runId, id, attendee_id: attendeeId, kind, body: JSON.stringify(command), at }
}
