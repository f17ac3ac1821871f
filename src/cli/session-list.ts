// `rostrum session list`: the sessions of the owner's account, of another, or of all.
import { unclaimedAccount } from '../sessions/vouched.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

const shownMax = 10_000

export const run: Run = async ({ config: read, text, flag, print }) => {
  const config = read()
  const named = text('account')
  const all = flag('all-accounts')
  if (all && named !== undefined) throw new CommandError('Send --account or --all-accounts, not both.', 2)
  const rows = await withTools(config, async ({ store, account }) => {
    let query = store.read
      .selectFrom('sessions')
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .select(['sessions.id', 'title', 'status', 'discoverable', 'slug', 'account_id', 'accounts.name as account', 'sessions.created_at'])
      .select((row) => unclaimedAccount(row))
    if (!all) query = query.where('account_id', '=', await account(named))
    return query.orderBy('sessions.created_at', 'desc').orderBy('sessions.id', 'desc').limit(shownMax).execute()
  })
  const sessions = rows.map((row) => ({
    id: row.id,
    title: row.title,
    status: row.status,
    isListed: row.status === 'published' && row.discoverable === 1 && row.unclaimed === null,
    isUnclaimed: row.unclaimed !== null,
    accountId: row.account_id,
    account: row.account,
    roomUrl: `${config.baseUrl}/join/${row.slug}`,
    createdAt: new Date(row.created_at).toISOString(),
  }))
  const lines = sessions.map(({ id, title, status, isListed, isUnclaimed, account, createdAt }) =>
    [
      id,
      status,
      isUnclaimed ? 'unclaimed agent' : isListed ? 'listed' : 'link only',
      createdAt.slice(0, 10),
      JSON.stringify(account),
      JSON.stringify(title),
    ].join('  '),
  )
  print.result(lines.length === 0 ? 'There are no sessions.' : lines.join('\n'), { sessions })
  return 0
}
