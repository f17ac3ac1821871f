// A forgotten password: a link by mail, or from the operator's command line. Whether anybody has the address shows neither in the
// words of the answer nor in its time, because nobody is looked up before it was given.
import { findUserByEmail, listAccountsOf } from './accounts.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import type { AuthDeps } from './deps.ts'
import { createLink } from './links.ts'
import type { Mailer } from './mail/mailer.ts'
import { recoveryMail } from './mail/messages.ts'

export const resetLinkLifeMs = 30 * 60_000

type RecoveryDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings'>

/** Mails a link to the address, if a person who may sign in has it, once the present answer was given. */
export function mailRecovery(
  { store, ids, settings }: RecoveryDeps,
  mail: Mailer,
  email: string,
  from: Pick<Actor, 'address' | 'requestId' | 'now'>,
): void {
  mail.afterAnswer(async () => {
    const user = await findUserByEmail(store.read, email)
    if (user === undefined) return
    const accountId = (await listAccountsOf(store.read, user.id))[0]?.id ?? null
    const { token } = await store.write(async (tx) => {
      const target = { kind: 'user', id: user.id }
      await recordAct(tx, ids, { ...from, kind: 'nobody', id: null }, { action: 'password.link_mailed', accountId, target })
      // Earlier links go on until one is used: a stranger who asks again and again must not end the one a person waits for.
      return createLink(tx, ids, { kind: 'reset', userId: user.id, ttlMs: resetLinkLifeMs, now: from.now })
    })
    await mail.send(recoveryMail({ to: user.email, title: settings.title, url: `${settings.baseUrl}/reset/${token}` }))
  })
}
