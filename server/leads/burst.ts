// Leads that came in a burst. Nobody can say which of a crowd is real, so all of it is kept and marked: beyond so many in a talk within an
// hour the new one is unproven, and so are those before it in that hour. The host takes the mark off. Three kinds are believed and do not
// count: what the host's own programs give, what somebody gives who came by the link that was mailed to that address, and what a host has
// looked at.
import { readerOf } from '../platform/mailbox.ts'
import type { Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { Lead, Proof } from './tables.ts'

const hour = 3_600_000
/** So many times the ceiling is no crowd but an attack on the disk: some 30 MB an hour with the default. */
const storedMax = 20

interface New {
  sessionId: string
  email: string
  /** The attendee, or the credential of a personal agent. */
  givenBy: string
  runId: string | null
  byHost: boolean
}

/** How far a new lead is believed. The caller holds the session. */
export async function proofOf(
  tx: Tx,
  { sessionId, email, givenBy, runId, byHost }: New,
  max: number | null,
  now: number,
): Promise<Proof | null> {
  if (byHost) return 'host'
  if (runId !== null && (await cameByMail(tx, givenBy, email))) return 'link'
  if (max === null) return null
  const counted = await tx
    .selectFrom('leads')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('created_at', '>', now - hour)
    .where((row) => row.or([row('proof', 'is', null), row('proof', '=', 'burst')]))
    .executeTakeFirstOrThrow()
  const count = Number(counted.count)
  if (count >= max * storedMax)
    throw new ServiceError(
      'rate_limited',
      'Far more details were left in this talk than it can keep at once. Send them again in an hour.',
      {
        headers: { 'Retry-After': '3600' },
      },
    )
  return count >= max ? 'burst' : null
}

/** Of the hour before a lead that came in a burst, those that are not marked yet; in their order. */
export const markBurst = (tx: Tx, sessionId: string, now: number): Promise<Lead[]> =>
  tx
    .updateTable('leads')
    .set((row) => ({ proof: 'burst' as const, updated_at: now, changes: row('changes', '+', 1) }))
    .where('session_id', '=', sessionId)
    .where('created_at', '>', now - hour)
    .where('proof', 'is', null)
    .returningAll()
    .execute()

/** By the link that a mail to this very address has brought. */
async function cameByMail(tx: Tx, attendeeId: string, email: string): Promise<boolean> {
  const found = await tx
    .selectFrom('attendees as a')
    .innerJoin('registrants as r', (join) => join.onRef('r.session_id', '=', 'a.session_id').onRef('r.link_key', '=', 'a.came_by'))
    .select(['r.email', 'r.told'])
    .where('a.id', '=', attendeeId)
    .executeTakeFirst()
  return found !== undefined && found.told !== null && readerOf(found.email) === readerOf(email)
}
