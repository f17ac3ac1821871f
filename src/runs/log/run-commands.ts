// Commands to a run: any node writes one down and rings; the owner turns them into events in the order of their arrival.
import { type Reader, ringAfter, type Tx } from '../../platform/db/store.ts'
import type { RunCommandRow } from '../../platform/db/tables/runs.ts'

export type NewRunCommand = Omit<RunCommandRow, 'handled_at' | 'answer'>

/** Rung after commands of the run commit. */
export const commandsTopic = (runId: string): string => `commands:${runId}`
/** Rung after this command was answered: of many who wait, the one it concerns looks. */
export const answersTopic = (runId: string, id: string): string => `answers:${runId}:${id}`

/** Writes commands down that nobody waits for. */
export async function noteCommands(tx: Tx, commands: readonly NewRunCommand[]): Promise<void> {
  const rows = commands.map((command) => ({ ...command, handled_at: null, answer: null }))
  await tx
    .insertInto('run_commands')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const runId of new Set(rows.map((row) => row.run_id))) ringAfter(tx, commandsTopic(runId))
}

/** Writes the command down; a repeated id changes nothing. Returns the row as it stands, with its answer if there is one. */
export async function submitCommand(tx: Tx, command: NewRunCommand): Promise<RunCommandRow> {
  const fresh = await tx
    .insertInto('run_commands')
    .values({ ...command, handled_at: null, answer: null })
    .onConflict((conflict) => conflict.columns(['run_id', 'id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (fresh !== undefined) {
    ringAfter(tx, commandsTopic(command.run_id))
    return fresh
  }
  return tx
    .selectFrom('run_commands')
    .selectAll()
    .where('run_id', '=', command.run_id)
    .where('id', '=', command.id)
    .executeTakeFirstOrThrow()
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
