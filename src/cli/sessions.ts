// `rostrum session create`: the same operations that the API offers, called for the owner's account.
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { unclaimedAccount } from '../sessions/session.ts'
import { CommandError, type Invocation, type Run } from './command.ts'
import { createLog, withTools } from './tools.ts'

const deckTypes: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
}

export const create: Run = async ({ config: read, text, flag, print }) => {
  const config = read()
  const [title, deckPath] = [text('title'), text('deck')]
  if (title === undefined && deckPath === undefined) throw new CommandError('Send --title, or --deck with a title of its own.', 2)
  const deck = deckPath === undefined ? undefined : await readDeck(deckPath)
  const [{ withParts }, log] = await Promise.all([import('../app.ts'), createLog(config.log)])
  const made = await withParts(config, log, async ({ areas, sessions }) => {
    await areas.jobs.start()
    await areas.decks.start()
    return sessions.createReady({ publish: flag('publish'), ...(title !== undefined && { title }), ...(deck && { deck }) })
  })
  const lines = [made.shareLink, ...(made.rehearsalUrl === undefined ? [] : [`Rehearse: ${made.rehearsalUrl}`]), `Status: ${made.status}`]
  print.result(lines.join('\n'), made)
}

export interface DeckFile {
  name: string
  type: string
  bytes: Uint8Array
}

async function readDeck(path: string): Promise<DeckFile> {
  const type = deckTypes[extname(path).toLowerCase()]
  if (type === undefined) throw new CommandError(`--deck: send a file that ends in ${Object.keys(deckTypes).join(' or ')}.`, 2)
  const bytes = await readFile(path).catch(() => {
    throw new CommandError(`--deck: ${path} cannot be read.`)
  })
  return { name: basename(path), type, bytes }
}

// `rostrum session list`: the sessions of the owner's account, of another, or of all.

const shownMax = 10_000

export const list: Run = async ({ config: read, text, flag, print }) => {
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
  const lines = sessions.map(({ id, title, status, isListed, isUnclaimed, account, createdAt }) => {
    const reach = isUnclaimed ? 'unclaimed agent' : isListed ? 'listed' : 'link only'
    return [id, status, reach, createdAt.slice(0, 10), JSON.stringify(account), JSON.stringify(title)]
  })
  print.list(lines, 'There are no sessions.', { sessions })
}

export const unpublish: Run = async (invocation) => {
  const id = await actOnSession(invocation, 'unpublish')
  invocation.print.result(`Unpublished ${id}. Its link opens nothing any more; people in the room finish their talk.`, { unpublished: id })
}

// What `rostrum session unpublish` and `rostrum session delete` share: the session is the owner's account's unless all accounts are meant.

async function actOnSession({ config: read, flag, positionals }: Invocation, act: 'unpublish' | 'delete'): Promise<string> {
  const config = read()
  const [id = ''] = positionals
  const [{ withParts }, { actAsOperator }, log] = await Promise.all([
    import('../app.ts'),
    import('../owner-sessions.ts'),
    createLog(config.log),
  ])
  const wanted = { id: id.toLowerCase(), act, anyAccount: flag('all-accounts') }
  const outcome = await withParts(config, log, (parts) => actAsOperator(parts, wanted))
  if (outcome === 'unknown') throw new CommandError(`There is no session ${id}: rostrum session list --all-accounts`)
  if (outcome === 'foreign') throw new CommandError(`Session ${id} belongs to another account: add --all-accounts.`)
  return id
}

export const remove: Run = async (invocation) => {
  const id = await actOnSession(invocation, 'delete')
  invocation.print.result(`Deleted ${id}, with its leads and its running talks.`, { deleted: id })
}
