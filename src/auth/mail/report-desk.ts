// Mails what people report to the operator: to the address that the configuration names, else to the owner of the service. Whoever sends
// more than a person reads is heard in the audit log alone.
import type { Reader } from '../../storage/store.ts'
import type { AuthDeps } from '../deps.ts'
import type { ReportedTalk } from './messages.ts'
import { reportMail } from './messages.ts'

const mails = { name: 'report-mail', count: 20, windowMs: 3_600_000 }

type ReportDeps = Pick<AuthDeps, 'store' | 'clock' | 'limiter' | 'mail' | 'settings'>

export function mailReport(
  { store, clock, limiter, mail, settings }: ReportDeps,
  operatorEmail: string | null,
  report: Omit<ReportedTalk, 'to' | 'title'>,
): void {
  mail?.afterAnswer(async () => {
    const to = operatorEmail ?? (await ownerEmail(store.read))
    if (to === undefined) return
    const verdict = await limiter.take([{ policy: mails, key: 'all' }], clock.now(), true)
    if (verdict.allowed) await mail.send(reportMail({ ...report, to, title: settings.title }))
  })
}

/** Of whoever has owned the first account longest. */
async function ownerEmail(read: Reader): Promise<string | undefined> {
  const row = await read
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.email')
    .where('a.is_owner', '=', 1)
    .where('m.role', '=', 'owner')
    .where('u.disabled_at', 'is', null)
    .orderBy('m.created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.email
}
