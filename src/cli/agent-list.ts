// `rostrum agent list`: every agent that may call, claimed or not, newest first.
import { listRegistrations } from '../agents/all-agents.ts'
import type { Run } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, flag, print }) => {
  const isUnclaimed = flag('unclaimed')
  const agents = await withTools(config(), async ({ store, clock }) => listRegistrations(store.read, clock.now(), { isUnclaimed }))
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  const shown = agents.map(({ createdAt, expiresAt, lastUsedAt, ...agent }) => ({
    ...agent,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    lastUsedAt: iso(lastUsedAt),
  }))
  const lines = shown.map(({ id, clientName, state, kind, sessions, network, createdAt, lastUsedAt, account }) =>
    [
      id,
      state === 'claimed' ? `claimed by ${JSON.stringify(account)}` : 'unclaimed',
      kind,
      `${sessions} sessions`,
      `from ${network}`,
      `made ${createdAt?.slice(0, 10) ?? ''}`,
      `used ${lastUsedAt?.slice(0, 10) ?? 'never'}`,
      JSON.stringify(clientName),
    ].join('  '),
  )
  print.result(lines.length === 0 ? 'There are no agents.' : lines.join('\n'), { agents: shown })
  return 0
}
