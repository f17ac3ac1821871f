// The act of signing in with e-mail and password, the same in words and time for an address nobody has. Wrong tries are counted
// tightly where they come from and widely for the person; a browser that has signed in before is counted by itself, so that the
// tries of strangers never shut its person out.
import { type Ids, randomBase62 } from '../platform/ids.ts'
import type { LimitVerdict } from '../platform/operation.ts'
import type { Tx } from '../platform/db/store.ts'
import { recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { email as emailShape, findUserByEmail, hasSamePassword, listAccountsOf, type MemberAccount } from './people.ts'
import { endSignInsOf, type StartedSignIn, startSignIn } from './sign-ins.ts'
import { createSigner } from './signer.ts'

export interface SignInRequest {
  email: string
  password: string
  address: string
  /** The browser's own name. */
  label: string
  requestId: string
  now: number
  /** The sign-in this one replaces, where the browser has one. */
  replaces?: string | undefined
  /** The cookie of a browser that has signed in before. */
  mark?: string | undefined
}

export type SignInOutcome =
  | { ok: true; signIn: StartedSignIn; user: { id: string; email: string; name: string }; account: MemberAccount }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'limited'; headers: LimitVerdict['headers'] }

type SignInDeps = Pick<AccountDeps, 'store' | 'ids' | 'passwords' | 'limiter' | 'devices'>

export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SignInOutcome> {
  const { store, ids, passwords, limiter, devices } = deps
  const parsed = emailShape.safeParse(request.email)
  const address = parsed.success ? parsed.data : request.email.slice(0, 254)
  // Counted before the password is looked at and given back on success, so that guesses sent at once are all counted.
  const checks = limiter.signInChecks(address, request.address, devices.find(request.mark, address))
  const verdict = await limiter.take(checks, request.now, true)
  if (!verdict.allowed) return { ok: false, reason: 'limited', headers: verdict.headers }

  const user = parsed.success ? await findUserByEmail(store.read, parsed.data) : undefined
  const { matches, isOutdated } = await passwords.verify(request.password, user?.password_hash)
  const account = user === undefined ? undefined : (await listAccountsOf(store.read, user.id))[0]
  const actor = { kind: 'user' as const, id: user?.id ?? null, address: request.address, requestId: request.requestId, now: request.now }
  const refuse = (tx: Tx) => recordAct(tx, ids, actor, { action: 'sign_in.failed', accountId: account?.id ?? null })
  if (user === undefined || account === undefined || !matches) {
    await store.write(refuse)
    return { ok: false, reason: 'wrong' }
  }
  const better = isOutdated ? await passwords.hash(request.password) : undefined
  const started = await store.write(async (tx, ring) => {
    // The old password may have waited in the queue of hashes while its person reset it.
    if (!(await hasSamePassword(tx, user))) {
      await refuse(tx)
      return undefined
    }
    if (better !== undefined) await tx.updateTable('users').set({ password_hash: better }).where('id', '=', user.id).execute()
    if (request.replaces !== undefined) await endSignInsOf(tx, ring, { id: request.replaces }, request.now)
    await recordAct(tx, ids, actor, { action: 'sign_in.started', accountId: account.id })
    const { address: from, label, now } = request
    return startSignIn(tx, ids, { userId: user.id, accountId: account.id, label, address: from, now })
  })
  if (started === undefined) return { ok: false, reason: 'wrong' }
  await limiter.refund(checks)
  return { ok: true, signIn: started, user: { id: user.id, email: user.email, name: user.name }, account }
}

// The mark of a browser in which a person has signed in before: its wrong tries are counted by themselves, so that nobody else's
// tries shut its person out. Signed for one e-mail address; it opens nothing.

export interface Devices {
  /** What the cookie of a browser holds from a sign-in with `email` on. */
  mark(email: string): string
  /** What the tries of the browser are counted by; undefined where it has no mark, or one made for somebody else. */
  find(cookie: string | undefined, email: string): string | undefined
}

/** As long as browsers keep a cookie. */
export const markLifeSeconds = 400 * 86_400

export function createDevices(secrets: readonly string[], ids: Ids): Devices {
  const signer = createSigner(secrets, 'device')
  return {
    mark(email) {
      const id = randomBase62(ids, 22)
      return `${id}.${signer.sign(`${id} ${email}`)}`
    },
    find(cookie, email) {
      const [id = '', mac = '', ...more] = (cookie ?? '').split('.', 3)
      return more.length === 0 && /^[0-9A-Za-z]{22}$/.test(id) && signer.verify(`${id} ${email}`, mac) ? id : undefined
    },
  }
}
