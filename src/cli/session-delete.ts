// `rostrum session delete <id>`.
import type { Run } from './command.ts'
import { actOnSession } from './session-act.ts'

export const run: Run = async (invocation) => {
  const id = await actOnSession(invocation, 'delete')
  invocation.print.result(`Deleted ${id}, with its leads and its running talks.`, { deleted: id })
  return 0
}
