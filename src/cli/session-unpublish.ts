// `rostrum session unpublish <id>`.
import type { Run } from './command.ts'
import { actOnSession } from './session-act.ts'

export const run: Run = async (invocation) => {
  const id = await actOnSession(invocation, 'unpublish')
  invocation.print.result(`Unpublished ${id}. Its link opens nothing any more; people in the room finish their talk.`, { unpublished: id })
  return 0
}
