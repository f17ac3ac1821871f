// The first person of a new service: by the one-time set-up link that each start prints while nobody exists, or from the
// configuration. Both make the owner of the account that is there already.
import { z } from 'zod'
import { type FieldError, ServiceError } from '../platform/errors.ts'
import { type Actor, operator, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { createLink, findLink, spendLink, voidLinks } from './links.ts'
import { newPassword, seeOther } from './pages/page.ts'
import { type FormPage, formPage, type PageRoute, type PagesDeps, signedInCookies, type Visit } from './pages/visit.ts'
import { passwordProblem } from './password.ts'
import { accountName, email, ensureOwnerAccount, hasUsers, insertUser, personName } from './people.ts'
import { startSignIn } from './sign-ins.ts'

type SetupDeps = Pick<AccountDeps, 'store' | 'ids' | 'passwords' | 'settings'>

const linkLifeMs = 7 * 86_400_000

/** The address of a fresh set-up page, or undefined once somebody exists. Older links die. */
export async function createSetupLink({ store, ids, settings }: SetupDeps, now: number): Promise<string | undefined> {
  if (await hasUsers(store.read)) return undefined
  const { token } = await store.write(async (tx) => {
    await voidLinks(tx, 'setup', null, now)
    return createLink(tx, ids, { kind: 'setup', ttlMs: linkLifeMs, now })
  })
  return `${settings.baseUrl}/setup/${token}`
}

/** Makes the owner named in the configuration if nobody exists; false where somebody does. Throws words on a bad value. */
export async function ensureOwner(deps: SetupDeps, owner: { email: string; password: string }, now: number): Promise<boolean> {
  if (await hasUsers(deps.store.read)) return false
  const address = email.safeParse(owner.email)
  if (!address.success) throw new Error('ROSTRUM_OWNER_EMAIL is not an email address.')
  const name = address.data.split('@')[0] ?? address.data
  const problem = await passwordProblem(owner.password, [address.data, name])
  if (problem !== undefined) throw new Error(`ROSTRUM_OWNER_PASSWORD: ${problem}`)
  const passwordHash = await deps.passwords.hash(owner.password)
  const accountId = await ensureOwnerAccount(deps.store, deps.ids, deps.settings.title, now)
  return deps.store.write(async (tx) => {
    if (await hasUsers(tx)) return false
    const userId = await insertUser(tx, deps.ids, { email: address.data, name, passwordHash, accountId, role: 'owner', now })
    if (userId === undefined) return false
    await recordAct(tx, deps.ids, operator(now), { action: 'user.created', accountId, target: ['user', userId] })
    return true
  })
}

type Written = Record<'name' | 'email' | 'password' | 'accountName', string>

/** `/setup/<token>`: the first person names themselves and the account. The page works once, while nobody exists. */
const setupPage: FormPage<string> = {
  async find(visit) {
    const link = await findLink(visit.deps.store.read, 'setup', visit.token, visit.now)
    return link === undefined ? visit.gone(goneWords) : visit.token
  },
  show: (visit) => setupForm(visit, { name: '', email: '', password: '', accountName: '' }, []),
  async send(visit, token, fields) {
    const { deps, now, address, label, requestId } = visit
    const { store, ids } = deps
    const sent = (name: keyof Written) => fields.get(name) ?? ''
    const written = { name: sent('name'), email: sent('email'), password: sent('password'), accountName: sent('accountName') }
    const parsed = person.safeParse(written)
    const problem = await passwordProblem(written.password, [written.name, written.email, written.accountName])
    if (!parsed.success || problem !== undefined) return setupForm(visit, written, errorsOf(parsed.error, problem))
    const { name, email: emailAddress, accountName: title } = parsed.data
    const passwordHash = await deps.passwords.hash(written.password)
    const accountId = await ensureOwnerAccount(store, ids, title, now)
    // Of many at once one wins.
    const signIn = await store.write(async (tx) => {
      if ((await spendLink(tx, 'setup', token, now)) === undefined || (await hasUsers(tx))) return undefined
      await tx.updateTable('accounts').set({ name: title }).where('id', '=', accountId).execute()
      const userId = await insertUser(tx, ids, { email: emailAddress, name, passwordHash, accountId, role: 'owner', now })
      if (userId === undefined) throw new ServiceError('conflict', 'This email address is taken.')
      const actor: Actor = { kind: 'user', id: userId, address, requestId, now }
      await recordAct(tx, ids, actor, { action: 'user.created', accountId, target: ['user', userId] })
      return startSignIn(tx, ids, { userId, accountId, label, address, now })
    })
    return signIn === undefined ? visit.gone(goneWords) : seeOther('/dashboard', signedInCookies(deps, signIn.cookie, emailAddress))
  },
}

const goneWords = 'This set-up link was used, or a newer one was printed. The newest stands where the service was started.'

const person = z.object({ name: personName, email, accountName })
const missing: Readonly<Record<string, string>> = {
  name: 'Write your name.',
  email: 'Write an email address.',
  accountName: 'Write a name for the account.',
}

function errorsOf(error: z.ZodError | undefined, passwordWords: string | undefined): FieldError[] {
  const names = new Set(error?.issues.map(({ path }) => String(path[0])))
  const errors = [...names].map((name) => ({ pointer: `#/${name}`, detail: missing[name] ?? '' }))
  return passwordWords === undefined ? errors : [...errors, { pointer: '#/password', detail: passwordWords }]
}

function setupForm(visit: Visit, { name, email: address, accountName: account }: Written, errors: readonly FieldError[]): Response {
  const accountHint = 'Your company or team, as your colleagues will see it.'
  return visit.sheet({
    name: 'Set up Rostrum',
    lead: 'You become the owner: you can invite others, make API keys and see everything in this account.',
    fields: [
      { name: 'name', label: 'Name', value: name, autocomplete: 'name' },
      { name: 'email', label: 'Email', type: 'email', value: address, autocomplete: 'username' },
      { ...newPassword, hint: 'At least 12 characters. A few words are easier to keep than signs.' },
      { name: 'accountName', label: 'Account name', value: account, autocomplete: 'organization', hint: accountHint },
    ],
    errors,
    button: 'Create owner',
  })
}

export const setupRoutes = (deps: PagesDeps): PageRoute[] => formPage(deps, '/setup/:token', setupPage)
