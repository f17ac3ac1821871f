// `rostrum agent revoke <id>`.
import { operator } from '../accounts/audit.ts'
import { revokeAnyAgent } from '../agents/all-agents.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, positionals, print }) => {
  const [id = ''] = positionals
  const found = await withTools(config(), async (tools) => {
    const outcome = await revokeAnyAgent(tools, operator(tools.clock.now()), id.toLowerCase())
    await tools.untilForgotten()
    return outcome
  })
  if (found === undefined) throw new CommandError(`There is no agent ${id}: rostrum agent list`)
  const open = found.published.length
  const left = found.isClaimed
    ? 'What it made stays with the account that claimed it.'
    : `What it made goes in a day. ${open === 0 ? 'None of it is open.' : `Open until then: ${found.published.join(', ')}. Close it: rostrum session unpublish <id> --all-accounts`}`
  print.result(`Revoked ${id}. All its tokens are refused from now on. ${left}`, { revoked: id, published: found.published })
  return 0
}
