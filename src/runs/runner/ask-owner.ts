// Hands a command to whichever process presents the run: written down, rung, and waited for. A repeat finds its first answer.
import type { Clock } from '../../platform/clock.ts'
import { type Store, together } from '../../platform/db/store.ts'
import { ServiceError } from '../../platform/errors.ts'
import type { RoomCommand } from '../../contract/commands.ts'
import type { CommandAnswer } from '../command.ts'
import { answersTopic, findCommand, type NewRunCommand, noteCommands, submitCommand } from '../log/run-commands.ts'

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
  const bell = doorbell(store, answersTopic(runId, id))
  try {
    await store.write((tx) => submitCommand(tx, rowOf(runId, command, clock.now())))
    for (;;) {
      const answer = await findAnswer(store, runId, id)
      if (answer !== null) return answer
      const leftMs = until - clock.now()
      if (leftMs <= 0)
        throw new ServiceError('temporarily_unavailable', 'The presenter is not answering. Try again.', { headers: { 'Retry-After': '2' } })
      await bell.next(clock, Math.min(leftMs, safetyPollMs))
    }
  } finally {
    bell.stop()
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

function doorbell(store: Store, topic: string) {
  let rung = false
  let wake: (() => void) | undefined
  const stop = store.listen(topic, () => {
    rung = true
    wake?.()
  })
  return {
    stop,
    next(clock: Clock, ms: number): Promise<void> {
      if (rung) {
        rung = false
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        const done = () => {
          cancel()
          wake = undefined
          rung = false
          resolve()
        }
        const cancel = clock.after(ms, done)
        wake = done
      })
    },
  }
}

/** Runs for which somebody waits; the doorbell is only a hint. */
