// How many people who registered themselves a talk writes to in an hour. Whoever knows addresses can have a talk write to them, so the
// first mails have a ceiling; of one network a fifth of it, so that nobody else's mail waits for a crowd from there. Beyond it the
// registration is kept and its mail waits for an hour with room, and the host, who is told, sends what waits where the crowd is theirs.
import { sql } from 'kysely'
import { z } from 'zod'
import { networkOf } from '../accounts/networks.ts'
import { sessionId } from '@rostrum/contract/session'
import { iso } from '@rostrum/base/clock'
import { ringAfter, type Reader, type Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { operation, scoped } from '../platform/operation.ts'
import { ownSession } from '../sessions/session.ts'
import { toldOfCeiling } from './mail-choices.ts'
import { mailKind, noticeKey, type RegistrantRow, type RegistrationsDeps } from './registrants.ts'

const hour = 3_600_000
/** What cannot leave within these hours is too much to keep: the next one is refused. */
const hoursMax = 20

const shareOf = (max: number) => Math.ceil(max / 5)

/** When the mail of somebody who registers now may leave, and by whom that is counted. The caller holds the session. */
export async function mailSlot(
  tx: Tx,
  deps: Pick<RegistrationsDeps, 'mailsMax' | 'links' | 'mail'>,
  session: { id: string },
  { now, address }: { now: number; address: string },
): Promise<{ mail_at: number; came_from: string }> {
  const first = Math.floor(now / hour)
  // Of this day and this talk alone: nobody is followed by it.
  const came_from = deps.links.sign(`network ${session.id} ${Math.floor(first / 24)} ${networkOf(address)}`)
  const { mailsMax: max } = deps
  if (max === null) return { mail_at: now, came_from }
  const counted = await tx
    .selectFrom('registrants')
    .select([sql<number>`mail_at / 3600000`.as('at'), 'came_from', (row) => row.fn.countAll<number>().as('count')])
    .where('session_id', '=', session.id)
    .where('mail_at', '>=', first * hour)
    .groupBy([sql`mail_at / 3600000`, 'came_from'])
    .execute()
  const countIn = (at: number, from?: string) =>
    counted.reduce((sum, row) => (Number(row.at) === at && (from ?? row.came_from) === row.came_from ? sum + Number(row.count) : sum), 0)
  const share = shareOf(max)
  const hours = Array.from({ length: hoursMax }, (_, at) => first + at)
  const free = hours.find((at) => countIn(at) < max && countIn(at, came_from) < share)
  if (free === undefined)
    throw new ServiceError('rate_limited', 'More people have registered for this talk than it can write to. Try again in an hour.', {
      headers: { 'Retry-After': '3600' },
    })
  // Once for a crowd: the next mail that waits is told of by the list alone.
  if (free > first && counted.every(({ at }) => Number(at) === first)) await toldOfCeiling(tx, deps, session.id, 'mails', now)
  return { mail_at: Math.max(now, free * hour), came_from }
}

const waiting = (db: Reader | Tx, id: string, now: number) =>
  db
    .selectFrom('registrants')
    .where('session_id', '=', id)
    .where('told', 'is', null)
    .where('state', '<>', 'cancelled')
    .where('mails_off_at', 'is', null)
    .where('mail_at', '>', now)

export const isHeld = ({ told, state, mails_off_at: off, mail_at: at }: RegistrantRow, now: number): boolean =>
  told === null && state !== 'cancelled' && off === null && (at ?? 0) > now

export const heldMails = z.object({
  mails: z.number().describe('How many wait.').meta({ example: 3 }),
  until: z.string().describe('When the last of them leaves.'),
  detail: z.string().describe('What to do, in words.'),
})

/** Undefined where none waits. */
export async function heldOf(
  read: Reader,
  deps: RegistrationsDeps,
  id: string,
  now: number,
): Promise<z.output<typeof heldMails> | undefined> {
  if (deps.mail === undefined) return undefined
  const { mails, until } = await waiting(read, id, now)
    .select((row) => [row.fn.countAll<number>().as('mails'), row.fn.max('mail_at').as('until')])
    .executeTakeFirstOrThrow()
  if (Number(mails) === 0 || until === null) return undefined
  const detail = `More people registered within an hour than this talk writes to at once (${deps.mailsMax}, from one network ${shareOf(deps.mailsMax ?? 0)}), so ${Number(mails) === 1 ? '1 mail waits' : `${mails} mails wait`}. If you know where they come from, send what waits; otherwise it leaves by and by.`
  return { mails: Number(mails), until: iso(Number(until)), detail }
}

export const sendHeldMails = operation({
  name: 'send_held_mails',
  summary: 'Send the mails that wait',
  description:
    'Where more people registered within an hour than the talk writes to at once (`held` of the list), their mails wait for an hour with room. This sends them now.',
  access: scoped('sessions:write', 'leads:read'),
  input: z.object({ sessionId }),
  run: ({ sessionId: wanted }, { principal, now }, deps: RegistrationsDeps) =>
    deps.store.write(async (tx) => {
      const { id } = await ownSession(tx, principal.accountId, wanted)
      const rows = await waiting(tx, id, now).select('id').execute()
      for (let from = 0; from < rows.length; from += 500) {
        const ids = rows.slice(from, from + 500).map((row) => row.id)
        await tx.updateTable('registrants').set({ mail_at: now }).where('id', 'in', ids).execute()
        const jobs = tx.updateTable('jobs').set({ due_at: now }).where('kind', '=', mailKind)
        await jobs.where('key', 'in', ids.map(noticeKey)).where('due_at', '>', now).execute()
      }
      ringAfter(tx, 'jobs')
      return { sent: rows.length }
    }),
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/registrations/mails',
    status: 202,
    output: z.object({ sent: z.number() }),
  },
})
