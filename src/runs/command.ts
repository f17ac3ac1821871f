// The port through which any process hands a command to the owner of the run.
import type { RoomCommand } from '../contract/commands.ts'
import { type ErrorCode, ServiceError } from '../platform/errors.ts'

export type CommandAnswer = { ok: true; data: Readonly<Record<string, unknown>> } | { ok: false; code: ErrorCode; detail: string }

export interface RunDesk {
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
export async function askDesk(desk: RunDesk, runId: string, command: RoomCommand): Promise<Readonly<Record<string, unknown>>> {
  const answer = await desk.submit(runId, command)
  if (!answer.ok) throw new ServiceError(answer.code, answer.detail)
  return answer.data
}
