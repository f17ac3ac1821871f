// Hands a command to whichever process presents the run: written down, rung, and waited for. A repeat finds its first answer.
import type { Clock } from '../kernel/clock.ts'
import { ServiceError } from '../kernel/errors.ts'
import type { CommandAnswer, RoomCommand } from '../room/command.ts'
import { answersTopic, findCommand, submitCommand } from '../storage/run-commands.ts'
import type { Reader, Store } from '../storage/store.ts'

const patienceMs = 8_000
const safetyPollMs = 500

/** Throws `temporarily_unavailable` when nobody presents the run; the command stays and a repeat gets its answer later. */
export async function askOwner(
  { store, clock }: { store: Store; clock: Clock },
  runId: string,
  command: RoomCommand,
): Promise<CommandAnswer> {
  const until = clock.now() + patienceMs
  const bell = doorbell(store, runId)
  try {
    const { id, kind, attendeeId } = command
    const row = { run_id: runId, id, attendee_id: attendeeId, kind, body: JSON.stringify(command), at: clock.now() }
    await store.write((tx) => submitCommand(tx, row))
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

/** The answer that the command got the first time, if any. */
export async function findAnswer(store: Store, runId: string, id: string): Promise<CommandAnswer | null> {
  const row = await findCommand(store.read, runId, id)
  // Only owners of runs write answers, as text of this type.
  return row?.answer === null || row === null ? null : (JSON.parse(row.answer) as CommandAnswer)
}

function doorbell(store: Store, runId: string) {
  let rung = false
  let wake: (() => void) | undefined
  const stop = store.listen(answersTopic(runId), () => {
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
export async function runsWithWaitingCommands(read: Reader): Promise<string[]> {
  const rows = await read.selectFrom('run_commands').select('run_id').distinct().where('handled_at', 'is', null).limit(1_000).execute()
  return rows.map((row) => row.run_id)
}
