// Commands to a run: any node writes one down and rings; the owner turns them into events in the order of their arrival.
import type { Reader, Tx } from './store.ts'
import type { RunCommandRow } from './tables/runs.ts'
import { ringAfter } from './transaction-context.ts'

export type NewRunCommand = Omit<RunCommandRow, 'handled_at' | 'answer'>

/** Rung after a command commits, and again after it was answered. */
export const commandsTopic = (runId: string): string => `commands:${runId}`
export const answersTopic = (runId: string): string => `answers:${runId}`

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

/** Marks a command handled, in the transaction that appends its events. `answer` is JSON text. */
export async function answerCommand(
  tx: Tx,
  { runId, id, answer, at }: { runId: string; id: string; answer: string; at: number },
): Promise<void> {
  await tx
    .updateTable('run_commands')
    .set({ handled_at: at, answer })
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .where('handled_at', 'is', null)
    .execute()
  ringAfter(tx, answersTopic(runId))
}

export async function findCommand(read: Reader, runId: string, id: string): Promise<RunCommandRow | null> {
  const row = await read.selectFrom('run_commands').selectAll().where('run_id', '=', runId).where('id', '=', id).executeTakeFirst()
  return row ?? null
}
