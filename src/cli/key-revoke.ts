// `rostrum key revoke <id>`.
import { operator } from '../accounts/audit.ts'
import { endKey } from '../accounts/keys.ts'
import type { Run } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, text, positionals, print }) => {
  const [id = ''] = positionals
  await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    await endKey(tools, operator(tools.clock.now()), { accountId }, id)
    await tools.untilForgotten()
  })
  print.result(`Revoked ${id}. It is refused from now on.`, { revoked: id })
  return 0
}
