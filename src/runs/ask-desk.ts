// Hands a command to the owner of the run and gives its answer, or throws its refusal.
import { ServiceError } from '../platform/errors.ts'
import type { RoomCommand, RunDesk } from './command.ts'

export async function askDesk(desk: RunDesk, runId: string, command: RoomCommand): Promise<Readonly<Record<string, unknown>>> {
  const answer = await desk.submit(runId, command)
  if (!answer.ok) throw new ServiceError(answer.code, answer.detail)
  return answer.data
}
