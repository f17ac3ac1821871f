// Another e-mail address: it takes effect when a link that was mailed to it is opened by the same signed-in person, so that it is
// verified, and nobody can make another person confirm an address for them.
import type { UserPrincipal } from '../kernel/principal.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import type { AuthDeps } from './deps.ts'
import { createLink, spendLink, voidLinks } from './links.ts'
import type { MailOutcome, Mailer } from './mail/mailer.ts'
import { addressChangedMail, verifyMail } from './mail/messages.ts'

const lifeMs = 24 * 3_600_000

type EmailDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings'>

/** Mails a link to the new address; an older link dies. Whether anybody has the address shows only to who reads its mail. */
export async function startEmailChange(
  { store, ids, settings }: EmailDeps,
  mail: Mailer,
  actor: Actor,
  { principal, email }: { principal: UserPrincipal; email: string },
): Promise<MailOutcome> {
  const { userId, accountId } = principal
  const { token } = await store.write(async (tx) => {
    await voidLinks(tx, 'verify', userId, actor.now)
    await recordAct(tx, ids, actor, { action: 'email.change_asked', accountId, target: { kind: 'user', id: userId } })
    return createLink(tx, ids, { kind: 'verify', userId, email, ttlMs: lifeMs, now: actor.now })
  })
  return mail.send(verifyMail({ to: email, title: settings.title, url: `${settings.baseUrl}/verify/${token}` }))
}

export type EmailChange = { ok: true; email: string } | { ok: false; reason: 'gone' | 'taken' }

/** Uses the link up and gives the person the address. `taken` uses it up too; of many at once one changes it. */
export async function confirmEmail(
  { store, ids, settings, mail }: EmailDeps & Pick<AuthDeps, 'mail'>,
  actor: Actor,
  { principal, token }: { principal: UserPrincipal; token: string },
): Promise<EmailChange> {
  const { userId, accountId } = principal
  const { now } = actor
  const change = store.write(async (tx): Promise<{ outcome: EmailChange; old?: string }> => {
    const link = await spendLink(tx, 'verify', token, now)
    if (link === undefined || link.user_id !== userId || link.email === null) return { outcome: { ok: false, reason: 'gone' } }
    const { email } = link
    const user = await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
    if (holder !== undefined && holder.id !== userId) return { outcome: { ok: false, reason: 'taken' } }
    await tx.updateTable('users').set({ email, email_verified_at: now }).where('id', '=', userId).execute()
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(tx, ids, actor, { action: 'email.changed', accountId, target: { kind: 'user', id: userId } })
    return { outcome: { ok: true, email }, old: user.email }
  })
  const { outcome, old } = await change.catch((error: unknown) => {
    if (!isTaken(error)) throw error
    return { outcome: { ok: false, reason: 'taken' } as const, old: undefined }
  })
  if (old !== undefined && outcome.ok && old !== outcome.email) {
    mail?.afterAnswer(async () => void (await mail.send(addressChangedMail({ to: old, title: settings.title }))))
  }
  return outcome
}

/** On PostgreSQL two people may come to the unique index at the same moment (SQLSTATE 23505). */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
