// `rostrum key create`: the key alone on standard output, so that a script can keep it.
import { operator, recordAct } from '../accounts/audit.ts'
import { endKey, issueKey, readKeys, replaceKey } from '../accounts/keys.ts'
import { createLink, voidLinks } from '../accounts/links.ts'
import { passwordProblem } from '../accounts/password.ts'
import { resetLinkLifeMs } from '../accounts/new-password.ts'
import { accountName, email as emailField, findUserByEmail, insertAccount, insertUser, personName } from '../accounts/people.ts'
import { listRegistrations, revokeAnyAgent } from '../agents/agents.ts'
import { durationMs } from '../config/values.ts'
import { uuidV7 } from '@rostrum/base/clock'
import { isScope, type Role, scopes as allScopes } from '../platform/principal.ts'
import { CommandError, type Run, type Invocation } from './command.ts'
import { type Tools, withTools, createLog } from './tools.ts'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { unclaimedAccount } from '../sessions/session.ts'

export const createKey: Run = async ({ config, text, print }) => {
  const scopes = readScopes(text('scopes'))
  const lifeMs = readLife(text('expires'))
  const made = await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    return issueKey(tools, operator(tools.clock.now()), { accountId, name: text('name') ?? '', scopes, lifeMs })
  })
  if (lifeMs === null) print.note('warning: this key never expires. Revoke it when it is no longer needed.')
  const { key, id, name, expiresAt } = made
  print.result(key, { key, id, name, scopes: made.scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() })
}

function readScopes(written: string | undefined) {
  if (written === undefined) return undefined
  const named = written.split(/[\s,]+/).filter(Boolean)
  const unknown = named.find((scope) => !isScope(scope))
  if (unknown !== undefined || named.length === 0) throw new CommandError(`--scopes: write some of ${allScopes.join(' ')}.`, 2)
  return named.filter(isScope)
}

/** null: never. Undefined where the default holds. */
function readLife(written: string | undefined): number | null | undefined {
  if (written === undefined) return undefined
  if (written === 'never') return null
  const { data, error } = durationMs.safeParse(written)
  if (error !== undefined) throw new CommandError(`--expires: ${error.issues[0]?.message}, or never.`, 2)
  return data
}

export const listKeys: Run = async ({ config, text, print }) => {
  const keys = await withTools(config(), async ({ store, clock, account }) =>
    readKeys(store.read, { accountId: await account(text('account')) }, clock.now()),
  )
  const iso = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString().slice(0, 10))
  const lines = keys.map(({ id, name, last4, scopes, lastUsedAt, expiresAt, replacedBy }) => [
    id,
    `...${last4}`,
    name,
    scopes.join(' '),
    `used ${iso(lastUsedAt)}`,
    `expires ${iso(expiresAt)}`,
    replacedBy && `replaced by ${replacedBy}`,
  ])
  print.list(lines, 'There are no keys. Make one: rostrum key create --name "my agent"', { keys })
}

// `rostrum key rotate <id>`: the new key alone on standard output; the old one works on for a grace.

const dayMs = 86_400_000
const graceMaxMs = 30 * dayMs

export const rotateKey: Run = async ({ config, text, positionals, print }) => {
  const [id = ''] = positionals
  const graceMs = readGrace(text('grace'))
  const made = await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    const rotated = await replaceKey(tools, operator(tools.clock.now()), { accountId }, { id, graceMs })
    if (graceMs === 0) await tools.untilForgotten()
    return rotated
  })
  const endsAt = new Date(made.previous.endsAt).toISOString()
  print.note(graceMs === 0 ? `${id} is refused from now on.` : `${id} works until ${endsAt}.`)
  print.result(made.key, { key: made.key, id: made.id, name: made.name, scopes: made.scopes, previous: { id, endsAt } })
}

function readGrace(written = '1d'): number {
  if (written === 'none') return 0
  const { data, error } = durationMs.refine((ms) => ms <= graceMaxMs, 'write at most 30d').safeParse(written)
  if (error !== undefined) throw new CommandError(`--grace: ${error.issues[0]?.message}, or none.`, 2)
  return data
}

export const revokeKey: Run = async ({ config, text, positionals, print }) => {
  const [id = ''] = positionals
  await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    await endKey(tools, operator(tools.clock.now()), { accountId }, id)
    await tools.untilForgotten()
  })
  print.result(`Revoked ${id}. It is refused from now on.`, { revoked: id })
}

// `rostrum user create`: a person, in an account of their own or in one that is named.

const roles: readonly Role[] = ['owner', 'admin', 'member']

export const createUser: Run = async ({ config, text, print }) => {
  const email = emailField.safeParse(text('email') ?? '')
  if (!email.success) throw new CommandError('--email: send an email address.', 2)
  const name = personName.safeParse(text('name') ?? email.data.split('@')[0])
  if (!name.success) throw new CommandError('--name: write 1 to 200 characters.', 2)
  const account = text('account')
  const role = roles.find((each) => each === (text('role') ?? (account === undefined ? 'owner' : 'member')))
  if (role === undefined) throw new CommandError(`--role: write ${roles.join(', ')}.`, 2)
  const password = text('password') ?? ''
  const problem = await passwordProblem(password, [email.data, name.data])
  if (problem !== undefined) throw new CommandError(`--password: ${problem}`, 2)
  const made = await withTools(config(), (tools) => add(tools, { email: email.data, name: name.data, password, account, role }))
  print.result(`${email.data} can sign in (${role} of account ${made.accountId}).`, { ...made, email: email.data, role })
}

interface Person {
  email: string
  name: string
  password: string
  /** `owner`, an id, or undefined for an account of their own. */
  account: string | undefined
  role: Role
}

async function add(tools: Tools, { email, name, password, account, role }: Person): Promise<{ userId: string; accountId: string }> {
  const { store, ids, clock, passwords } = tools
  const now = clock.now()
  const passwordHash = await passwords.hash(password)
  const named = account === 'owner' ? await tools.account(undefined) : account
  return store.write(async (tx) => {
    const accountId = named ?? uuidV7(ids, now)
    if (named === undefined) {
      await insertAccount(tx, { id: accountId, name: accountName.parse(name), kind: 'organization', is_owner: null, created_at: now })
    } else if ((await tx.selectFrom('accounts').select('id').where('id', '=', named).executeTakeFirst()) === undefined) {
      throw new CommandError(`There is no account ${named}.`)
    }
    const userId = await insertUser(tx, ids, { email, name, passwordHash, accountId, role, now })
    if (userId === undefined) throw new CommandError(`${email} exists already: give them a new password with \`rostrum user reset-link\`.`)
    await recordAct(tx, ids, operator(now), { action: 'user.created', accountId, target: ['user', userId] })
    return { userId, accountId }
  })
}

// `rostrum user reset-link`: the link alone on standard output.

export const resetLink: Run = async ({ config: read, text, print }) => {
  const config = read()
  const email = emailField.safeParse(text('email') ?? '')
  if (!email.success) throw new CommandError('--email: send an email address.', 2)
  const { token, expiresAt } = await withTools(config, async ({ store, ids, clock }) => {
    const now = clock.now()
    const user = await findUserByEmail(store.read, email.data)
    if (user === undefined) throw new CommandError(`Nobody has the address ${email.data}.`)
    return store.write(async (tx) => {
      await voidLinks(tx, 'reset', user.id, now)
      return createLink(tx, ids, { kind: 'reset', userId: user.id, ttlMs: resetLinkLifeMs, now })
    })
  })
  const url = `${config.baseUrl}/reset/${token}`
  print.result(url, { url, expiresAt: new Date(expiresAt).toISOString() })
}

// `rostrum agent list`: every agent that may call, claimed or not, newest first.

export const listAgents: Run = async ({ config, flag, print }) => {
  const isUnclaimed = flag('unclaimed')
  const agents = await withTools(config(), async ({ store, clock }) => listRegistrations(store.read, clock.now(), isUnclaimed))
  const lines = agents.map(({ id, clientName, state, kind, sessions, network, createdAt, lastUsedAt, account }) => [
    id,
    state === 'claimed' ? `claimed by ${JSON.stringify(account)}` : 'unclaimed',
    kind,
    `${sessions} sessions`,
    `from ${network}`,
    `made ${createdAt.slice(0, 10)}, used ${lastUsedAt?.slice(0, 10) ?? 'never'}`,
    JSON.stringify(clientName),
  ])
  print.list(lines, 'There are no agents.', { agents })
}

export const revokeAgent: Run = async ({ config, positionals, print }) => {
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
}

// `rostrum session create`: the same operations that the API offers, called for the owner's account.

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
