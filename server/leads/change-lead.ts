// What a host keeps of a lead: how far they have come with the person, and a note. What the person gave stays as it was given.
import { z } from 'zod'
import { limits, text, uuid } from '@rostrum/contract/fields'
import { scrubEvent } from '../platform/db/deliveries.ts'
import { held } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { operation, scoped } from '../platform/operation.ts'
import { holdSession } from '../sessions/session.ts'
import type { LeadsDeps } from './deps.ts'
import { eventKeysOf, filled, followUps, tell, toLeadRecord, updated, wholeLeadRecord } from './lead.ts'
import type { Lead } from './tables.ts'

/** The host has looked at it. Who was told of the mark hears that it is gone. */
async function believe(tx: Tx, of: { sessionId: string; leadId: string; accountId: string }, now: number): Promise<void> {
  // As whoever changes a lead: the numbers of its events follow one another.
  await holdSession(tx, of.sessionId)
  const row = await tx
    .updateTable('leads')
    .set((each) => ({ proof: 'host' as const, updated_at: now, changes: each('changes', '+', 1) }))
    .where('id', '=', of.leadId)
    .where('session_id', '=', of.sessionId)
    .where('account_id', '=', of.accountId)
    .where('proof', '=', 'burst')
    .returningAll()
    .executeTakeFirst()
  if (row !== undefined) await tell(tx, row, updated(row, ['unproven'], null))
}

export const updateLead = operation({
  name: 'update_lead',
  summary: 'Note how far you have come with a lead',
  description:
    'Members left out stay as they are. No event tells of it, but `lead.updated` of a mark that is taken off; it goes when the lead is erased.',
  access: scoped('leads:read', 'sessions:write'),
  input: z.object({
    sessionId: uuid.describe('Id of the session.'),
    leadId: uuid.describe('Id of the lead.'),
    followUp: z.enum(followUps).optional(),
    hostNote: text(limits.message).nullable().optional().describe('Null takes it away.'),
    unproven: z.literal(false).optional().describe('Takes off the mark of a lead that came in a burst.'),
  }),
  run: async ({ sessionId, leadId, followUp, hostNote, unproven }, { principal, now }, { store }: LeadsDeps) => {
    const row = await store.write(async (tx) => {
      if (unproven === false) await believe(tx, { sessionId, leadId, accountId: principal.accountId }, now)
      return tx
        .updateTable('leads')
        .set({
          ...(followUp === undefined ? {} : { follow_up: followUp }),
          ...(hostNote === undefined ? {} : { host_note: filled(hostNote ?? undefined) }),
          // Nothing to change is no reason to refuse.
          id: leadId,
        })
        .where('id', '=', leadId)
        .where('session_id', '=', sessionId)
        .where('account_id', '=', principal.accountId)
        .returningAll()
        .executeTakeFirst()
    })
    if (row === undefined) throw new ServiceError('not_found', 'There is no such lead in this session. `GET .../leads` shows their ids.')
    return row
  },
  http: {
    method: 'PATCH',
    path: '/api/v1/agent/sessions/{sessionId}/leads/{leadId}',
    output: wholeLeadRecord,
    view: (row) => toLeadRecord(row),
  },
})

// Erases a lead: the row goes, and so do the details in events that are kept or still waiting to be delivered, and the name that its
// person gave in the rooms where they left them.

export async function eraseEntry(tx: Tx, row: Lead, now: number, { eraseName }: LeadsDeps): Promise<void> {
  await tx.deleteFrom('leads').where('id', '=', row.id).execute()
  for (const key of eventKeysOf(row)) await scrubEvent(tx, key, now)
  let asked = tx.updateTable('pap_questions').set({ attendee_name: null }).where('session_id', '=', row.session_id)
  // An agent may ask for several people; without a name nobody knows which of them this is.
  if (row.name !== null) asked = asked.where('attendee_name', '=', row.name)
  await asked.where('asked_by', '=', row.given_by).execute()
  if (row.run_id !== null) await eraseName(tx, { runId: row.run_id, attendeeId: row.given_by }, now)
}

/** The oldest of what is left for the address takes the place of the first. */
async function promote(tx: Tx, goneId: string): Promise<void> {
  const left = await tx.selectFrom('leads').select('id').where('repeat_of', '=', goneId).orderBy('created_at').orderBy('id').execute()
  const [first] = left
  if (first === undefined) return
  await tx.updateTable('leads').set({ repeat_of: first.id }).where('repeat_of', '=', goneId).execute()
  await tx.updateTable('leads').set({ repeat_of: null }).where('id', '=', first.id).execute()
}

export const deleteLead = operation({
  name: 'delete_lead',
  summary: 'Erase a lead',
  description:
    'Removes the contact details for good, with every other entry for the same address in this session, also from `lead.captured` and `lead.updated`, kept or waiting to be delivered, and the name that the person or their agent gave, from the log of the talk, its questions and its other events; and their registration, and their place among `guests`. What they asked stays, without a name.',
  access: scoped('leads:read', 'sessions:write'),
  input: z.object({
    sessionId: uuid.describe('Id of the session.'),
    leadId: uuid.describe('Id of the lead.'),
    only: z.boolean().optional().describe('Only this entry; what others have sent for the same address stays. Otherwise all of them go.'),
  }),
  run: async ({ sessionId, leadId, only = false }, call, deps: LeadsDeps) => {
    const erased = await deps.store.write(async (tx) => {
      const lead = await tx
        .selectFrom('leads')
        .select(['id', 'session_id', 'email_key'])
        .where('id', '=', leadId)
        .where('session_id', '=', sessionId)
        .where('account_id', '=', call.principal.accountId)
        .executeTakeFirst()
      if (lead === undefined) return undefined
      const entries = tx
        .selectFrom('leads')
        .where((row) =>
          only ? row('id', '=', lead.id) : row.and([row('session_id', '=', lead.session_id), row('email_key', '=', lead.email_key)]),
        )
      // Runs are locked before what belongs to them, and the session before its leads, so that no entry of the address comes meanwhile.
      await held(tx, tx.selectFrom('runs').select('id').where('id', 'in', entries.select('run_id')).orderBy('id')).execute()
      await holdSession(tx, lead.session_id)
      const rows = await entries.selectAll().orderBy('id').execute()
      for (const row of rows) await eraseEntry(tx, row, call.now, deps)
      if (!only) await deps.eraseAddress(tx, { sessionId: lead.session_id, emailKey: lead.email_key }, call.now)
      if (only) await promote(tx, lead.id)
      return rows.length === 0 ? undefined : { id: lead.id, count: rows.length }
    })
    if (erased === undefined) throw new ServiceError('not_found', 'There is no such lead in this session. `GET .../leads` shows their ids.')
    return { id: erased.id, deleted: true, count: erased.count }
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}/leads/{leadId}',
    output: z.object({ id: z.string(), deleted: z.boolean(), count: z.number().describe('How many entries went.') }),
  },
})
