// `rostrum audit list`: what was done and what was reported, of every account, newest first.
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

const shownMax = 1_000

export const run: Run = async ({ config, text, print }) => {
  const limit = Number(text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > shownMax) throw new CommandError(`--limit: send a number from 1 to ${shownMax}.`, 2)
  const action = text('action')
  const rows = await withTools(config(), async ({ store, account }) => {
    let query = store.read.selectFrom('audit').selectAll()
    if (action !== undefined) query = query.where('action', '=', action)
    const named = text('account')
    if (named !== undefined) query = query.where('account_id', '=', await account(named))
    return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  })
  const entries = rows.map((row) => ({
    id: row.id,
    at: new Date(row.at).toISOString(),
    action: row.action,
    account: row.account_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    targetKind: row.target_kind,
    targetId: row.target_id,
    network: row.ip_prefix,
    data: row.data === null ? null : (JSON.parse(row.data) as unknown),
  }))
  const lines = entries.map(({ at, action: what, actorKind, targetKind, targetId, network, data }) =>
    [at, what, `by ${actorKind}`, ...(targetId === null ? [] : [`${targetKind} ${targetId}`]), ...(network === null ? [] : [network])]
      // On one line, whatever a stranger wrote.
      .concat(data === null ? [] : [JSON.stringify(data)])
      .join('  '),
  )
  print.result(lines.length === 0 ? 'There are no such entries.' : lines.join('\n'), { entries })
  return 0
}
