// `rostrum user create`: a person, in an account of their own or in one that is named.
import { operator, recordAct } from '../accounts/audit.ts'
import { createLink, voidLinks } from '../accounts/links.ts'
import { resetLinkLifeMs } from '../accounts/change-password.ts'
import { passwordProblem } from '../accounts/password.ts'
import { accountName, email as emailField, findUserByEmail, insertAccount, insertUser, personName } from '../accounts/people.ts'
import { uuidV7 } from '../platform/ids.ts'
import type { Role } from '../platform/principal.ts'
import { CommandError, type Run } from './command.ts'
import { type Tools, withTools } from './tools.ts'

const roles: readonly Role[] = ['owner', 'admin', 'member']

export const create: Run = async ({ config, text, print }) => {
  const email = emailField.safeParse(text('email') ?? '')
  if (!email.success) throw new CommandError('--email: send an e-mail address.', 2)
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
  return 0
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
    await recordAct(tx, ids, operator(now), { action: 'user.created', accountId, target: { kind: 'user', id: userId } })
    return { userId, accountId }
  })
}

// `rostrum user reset-link`: the link alone on standard output.

export const resetLink: Run = async ({ config: read, text, print }) => {
  const config = read()
  const email = emailField.safeParse(text('email') ?? '')
  if (!email.success) throw new CommandError('--email: send an e-mail address.', 2)
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
  return 0
}
