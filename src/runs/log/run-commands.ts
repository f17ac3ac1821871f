// Commands to a run, from any process: handed to the owner where that is this one, else written down, rung and waited for. The owner turns
// them into events in the order of their arrival; a repeat finds its first answer.
import type { RoomCommand } from '../../contract/commands.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Reader, ringAfter, type Store, together, type Tx } from '../../platform/db/store.ts'
import type { RunCommandRow } from '../tables.ts'
import { type ErrorCode, ServiceError } from '../../platform/errors.ts'

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

/** Marks commands handled, and empties them, in the transaction that appends their events. `answer` is JSON text, the same for all of them. */
export async function answerCommands(
  tx: Tx,
  { runId, ids, answer, at }: { runId: string; ids: readonly string[]; answer: string; at: number },
): Promise<void> {
  await tx
    .updateTable('run_commands')
    .set({ body: '{}', handled_at: at, answer })
    .where('run_id', '=', runId)
    .where('id', 'in', ids)
    .where('handled_at', 'is', null)
    .execute()
  for (const id of ids) ringAfter(tx, answersTopic(runId, id))
}

export async function findCommand(read: Reader, runId: string, id: string): Promise<RunCommandRow | null> {
  const row = await read.selectFrom('run_commands').selectAll().where('run_id', '=', runId).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

// The port through which any process hands a command to the owner of the run.

export type CommandAnswer = { ok: true; data: Readonly<Record<string, unknown>> } | { ok: false; code: ErrorCode; detail: string }

export interface Runs {
  /** Resolves once what follows from the command is durable. Throws `temporarily_unavailable` when no owner answers in time. */
  submit(runId: string, command: RoomCommand): Promise<CommandAnswer>
  /** Resolves once the command is durable, with its run or written down for whoever presents it; nobody waits for an answer. */
  note(runId: string, command: RoomCommand): Promise<void>
  /** The lease to write into the row of a new run, so that this process owns it from the first; null where it presents nothing. */
  firstLease(now: number): { lease_owner: string; epoch: number; lease_until: number } | null
  /** A run was created: this process takes it up at once if it holds the first lease, else whoever presents. */
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
      const answer = await findAnswer(store, runId, id)
      if (answer !== null) return answer
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

/** The answer that the command got the first time, if any. */
export async function findAnswer(store: Store, runId: string, id: string): Promise<CommandAnswer | null> {
  const row = await findCommand(store.read, runId, id)
  // Only owners of runs write answers, as text of this type.
  return row?.answer === null || row === null ? null : (JSON.parse(row.answer) as CommandAnswer)
}
