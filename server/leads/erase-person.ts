// A person is erased over all talks of an account in one act: what `delete_lead` erases of an address in one session, in each of them, and
// the name of who came by a link that was mailed to them and left nothing else.
import { z } from 'zod'
import { held } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import { domainsOf, mailboxOf } from '../platform/mailbox.ts'
import { deletes, operation, scoped } from '../platform/operation.ts'
import { holdSession } from '../sessions/session.ts'
import { eraseEntry } from './change-lead.ts'
import type { LeadsDeps } from './deps.ts'
import { contactDetails } from './lead.ts'

/** Their leads, in every spelling of the address. */
async function leadsOf(tx: Tx, accountId: string, email: string) {
  const rows = await tx
    .selectFrom('leads')
    .select(['id', 'session_id as sessionId', 'email_key as emailKey', 'run_id as runId'])
    .where('account_id', '=', accountId)
    .where((row) => row.or(domainsOf(email).map((domain) => row('email_key', 'like', `%@${domain}`))))
    .execute()
  return rows.filter(({ emailKey }) => mailboxOf(emailKey) === mailboxOf(email))
}

export const erasePerson = operation({
  name: 'erase_person',
  summary: 'Erase a person from all talks',
  description:
    'Everything that this account keeps under an address, in all its sessions at once and in every spelling that is known to be the same mailbox: leads and what `delete_lead` takes with each, registrations, places among `guests`, and the name of who came by a link mailed to them. What they asked stays, without a name. That they ended mails stays in force, under a hash. Nothing under the address is no error.',
  access: scoped('leads:read', 'sessions:write'),
  effects: deletes,
  input: z.object({ email: contactDetails.email }),
  run: ({ email }, { principal: { accountId }, now }, deps: LeadsDeps) =>
    deps.store.write(async (tx) => {
      const elsewhere = await deps.addressesOf(tx, accountId, email)
      const found = await leadsOf(tx, accountId, email)
      const runs = [...found.flatMap(({ runId }) => runId ?? []), ...elsewhere.seats.map(({ runId }) => runId)]
      // Runs before what belongs to them, sessions before their leads, each in the order of ids: no entry of the address comes meanwhile,
      // and two such acts wait for each other.
      if (runs.length > 0) await held(tx, tx.selectFrom('runs').select('id').where('id', 'in', runs).orderBy('id')).execute()
      const sessions = [...new Set([...found, ...elsewhere.addresses].map(({ sessionId }) => sessionId))].toSorted((a, b) =>
        a < b ? -1 : 1,
      )
      for (const id of sessions) await holdSession(tx, id)
      const leads = await leadsOf(tx, accountId, email)
      for (const { id } of leads) {
        const row = await tx.selectFrom('leads').selectAll().where('id', '=', id).executeTakeFirst()
        if (row !== undefined) await eraseEntry(tx, row, now, deps)
      }
      for (const seat of elsewhere.seats) await deps.eraseName(tx, seat, now)
      const addresses = [...leads, ...elsewhere.addresses].map(
        ({ sessionId, emailKey }) => [`${sessionId} ${emailKey}`, { sessionId, emailKey }] as const,
      )
      for (const address of new Map(addresses).values()) await deps.eraseAddress(tx, address, now)
      return { sessions: sessions.length, leads: leads.length }
    }),
  http: {
    method: 'POST',
    path: '/api/v1/agent/erasures',
    output: z.object({
      sessions: z.number().describe('In how many sessions something was kept under the address.'),
      leads: z.number().describe('How many leads went.'),
    }),
  },
})
