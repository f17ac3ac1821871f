// `rostrum agent list`: every agent that may call, claimed or not, newest first.
import { operator } from '../accounts/audit.ts'
import { listRegistrations, revokeAnyAgent } from '../agents/agents.ts'
import { CommandError, type Run } from './command.ts'
import { withTools } from './tools.ts'

export const list: Run = async ({ config, flag, print }) => {
  const isUnclaimed = flag('unclaimed')
  const agents = await withTools(config(), async ({ store, clock }) => listRegistrations(store.read, clock.now(), isUnclaimed))
  const lines = agents.map(({ id, clientName, state, kind, sessions, network, createdAt, lastUsedAt, account }) =>
    [
      id,
      state === 'claimed' ? `claimed by ${JSON.stringify(account)}` : 'unclaimed',
      kind,
      `${sessions} sessions`,
      `from ${network}`,
      `made ${createdAt.slice(0, 10)}`,
      `used ${lastUsedAt?.slice(0, 10) ?? 'never'}`,
      JSON.stringify(clientName),
    ].join('  '),
  )
  print.result(lines.length === 0 ? 'There are no agents.' : lines.join('\n'), { agents })
  return 0
}

// `rostrum agent revoke <id>`.

export const revoke: Run = async ({ config, positionals, print }) => {
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
