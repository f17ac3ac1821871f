// The first person of a new service: by the one-time set-up link that each start prints while nobody exists, or from the
// configuration. Both make the owner of the account that is there already.
import { type FieldError, ServiceError } from '../platform/errors.ts'
import { type Actor, operator, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { createLink, findLink, spendLink, voidLinks } from './links.ts'
import { passwordProblem } from './password.ts'
import { accountName, email, ensureOwnerAccount, hasUsers, insertUser, personName } from './people.ts'
import { type StartedSignIn, startSignIn } from './sign-ins.ts'

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
  if (!address.success) throw new Error('ROSTRUM_OWNER_EMAIL is not an e-mail address.')
  const name = address.data.split('@')[0] ?? address.data
  const problem = await passwordProblem(owner.password, [address.data, name])
  if (problem !== undefined) throw new Error(`ROSTRUM_OWNER_PASSWORD: ${problem}`)
  const passwordHash = await deps.passwords.hash(owner.password)
  const accountId = await ensureOwnerAccount(deps.store, deps.ids, deps.settings.title, now)
  return deps.store.write(async (tx) => {
    if (await hasUsers(tx)) return false
    const userId = await insertUser(tx, deps.ids, { email: address.data, name, passwordHash, accountId, role: 'owner', now })
    if (userId === undefined) return false
    await recordAct(tx, deps.ids, operator(now), { action: 'user.created', accountId, target: { kind: 'user', id: userId } })
    return true
  })
}

export interface SetupForm {
  name: string
  email: string
  password: string
  accountName: string
}

export type SetupOutcome =
  | { ok: true; signIn: StartedSignIn; email: string }
  | { ok: false; reason: 'gone' }
  | { ok: false; reason: 'invalid'; errors: readonly FieldError[] }

/** Uses the link up and signs its first user in. Of many at once one wins. */
export async function completeSetup(
  deps: SetupDeps,
  token: string,
  form: SetupForm,
  from: { address: string; label: string; requestId: string; now: number },
): Promise<SetupOutcome> {
  const { store, ids, passwords } = deps
  const { now } = from
  if ((await findLink(store.read, 'setup', token, now)) === undefined) return { ok: false, reason: 'gone' }
  const fields = {
    name: personName.safeParse(form.name),
    email: email.safeParse(form.email),
    accountName: accountName.safeParse(form.accountName),
  }
  const problem = await passwordProblem(form.password, [form.name, form.email, form.accountName])
  if (!fields.name.success || !fields.email.success || !fields.accountName.success || problem !== undefined) {
    return { ok: false, reason: 'invalid', errors: fieldErrors(fields, problem) }
  }
  const { data: name } = fields.name
  const { data: address } = fields.email
  const { data: title } = fields.accountName
  const passwordHash = await passwords.hash(form.password)
  const accountId = await ensureOwnerAccount(store, ids, title, now)
  return store.write(async (tx): Promise<SetupOutcome> => {
    if ((await spendLink(tx, 'setup', token, now)) === undefined || (await hasUsers(tx))) return { ok: false, reason: 'gone' }
    await tx.updateTable('accounts').set({ name: title }).where('id', '=', accountId).execute()
    const userId = await insertUser(tx, ids, { email: address, name, passwordHash, accountId, role: 'owner', now })
    if (userId === undefined) throw new ServiceError('conflict', 'This e-mail address is taken.')
    const actor: Actor = { kind: 'user', id: userId, address: from.address, requestId: from.requestId, now }
    await recordAct(tx, ids, actor, { action: 'user.created', accountId, target: { kind: 'user', id: userId } })
    const signIn = await startSignIn(tx, ids, { userId, accountId, label: from.label, address: from.address, now })
    return { ok: true, signIn, email: address }
  })
}

function fieldErrors(fields: Readonly<Record<string, { success: boolean }>>, passwordWords: string | undefined): FieldError[] {
  const words: Readonly<Record<string, string>> = {
    name: 'Write your name.',
    email: 'Write an e-mail address.',
    accountName: 'Write a name for the account.',
  }
  const errors = Object.entries(fields).flatMap(([name, { success }]) =>
    success ? [] : [{ pointer: `#/${name}`, detail: words[name] ?? '' }],
  )
  return passwordWords === undefined ? errors : [...errors, { pointer: '#/password', detail: passwordWords }]
}
