// The end of mails, and their return: by a link in a mail or on a person's own page, and by nothing else. Whoever registers an address
// hears the same words whether its mails have ended or not (ended.ts).
import { z } from 'zod'
import type { Brand } from '@rostrum/contract/brand'
import type { Reader, Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { changes, open, operation } from '../platform/operation.ts'
import { brandOf } from '../sessions/brand.ts'
import { dropEnd, type Ends, endsOf, endsOfGone, keepEnd, mailboxKeys, talksEnded, type Which } from './ended.ts'
import { chooseHostMails, hostMailsWanted } from './mail-choices.ts'
import { idOf, type RegistrationsDeps, remindOne, startOf, tellOne } from './registrants.ts'

const which = z.enum(['talk', 'host'])

async function whose(db: Reader | Tx, deps: Pick<RegistrationsDeps, 'links'>, id: string): Promise<Ends | undefined> {
  const gone = endsOfGone(id)
  if (gone !== undefined) return gone
  const rows = db.selectFrom('registrants as r').innerJoin('sessions as s', 's.id', 'r.session_id').where('r.id', '=', id)
  const row = await rows.select(['r.email', 's.id', 's.account_id']).executeTakeFirst()
  return row && { accountId: row.account_id, sessionId: row.id, mailboxes: mailboxKeys(deps, row.email) }
}

/** Their rows, in every spelling of the address. */
const rowsOf = (tx: Tx, { accountId, sessionId, mailboxes }: Ends, id: string, of: Which) =>
  tx
    .selectFrom('registrants as r')
    .innerJoin('sessions as s', 's.id', 'r.session_id')
    .where((row) => row.or([row('r.id', '=', id), row('r.mailbox', 'in', mailboxes)]))
    .where('s.account_id', '=', accountId)
    .$if(of === 'talk', (rows) => rows.where('s.id', '=', sessionId))

async function end(tx: Tx, deps: RegistrationsDeps, id: string, of: Which, now: number): Promise<boolean> {
  const ends = await whose(tx, deps, id)
  if (ends === undefined) return false
  await keepEnd(tx, ends, of, now)
  const mine = rowsOf(tx, ends, id, of).select('r.id').where('r.mails_off_at', 'is', null)
  await tx.updateTable('registrants').set({ mails_off_at: now }).where('id', 'in', mine).execute()
  return true
}

async function begin(tx: Tx, deps: RegistrationsDeps, id: string, of: Which): Promise<boolean> {
  const ends = await whose(tx, deps, id)
  if (ends === undefined) return false
  await dropEnd(tx, ends, of)
  const mine = await rowsOf(tx, ends, id, of)
    .select('r.id')
    .where('r.mails_off_at', 'is not', null)
    // One talk that was ended by itself stays so when those of its host return.
    .$if(of === 'host', (rows) => rows.where('s.id', 'not in', talksEnded(tx, ends)))
    .execute()
  for (const { id: mineId } of mine) {
    const row = await tx.updateTable('registrants').set({ mails_off_at: null }).where('id', '=', mineId).returningAll().executeTakeFirst()
    const session = row && (await tx.selectFrom('sessions').selectAll().where('id', '=', row.session_id).executeTakeFirst())
    if (row === undefined || session === undefined) continue
    await tellOne(tx, deps, mineId)
    await remindOne(tx, deps, row, startOf(session))
  }
  return true
}

/** Which mails have ended of those that a link is about. */
export interface MailsBehind {
  language?: string
  brand?: Brand | null
  /** Of the talk, and of all talks of the host; for people of an account, of the one kind. */
  ended: { talk: boolean; host?: boolean }
}

/** Undefined where there are none. */
export async function mailsBehind(
  deps: Pick<RegistrationsDeps, 'links' | 'store' | 'mediaBase'>,
  token: string,
): Promise<MailsBehind | undefined> {
  const { read } = deps.store
  const id = idOf(deps, token)
  if (id === null) return undefined
  if (id.startsWith('host~')) {
    const wanted = await hostMailsWanted(read, id)
    return wanted === undefined ? undefined : { ended: { talk: !wanted } }
  }
  const ends = await whose(read, deps, id)
  if (ends === undefined) return undefined
  const row = await read.selectFrom('registrants').select('mails_off_at').where('id', '=', id).executeTakeFirst()
  const abouts = new Set((await endsOf(read, ends)).map(({ about }) => about))
  const ended = { talk: row === undefined ? abouts.size > 0 : row.mails_off_at !== null, host: abouts.has('') }
  const session = await read.selectFrom('sessions').select('language').where('id', '=', ends.sessionId).executeTakeFirst()
  return session === undefined
    ? { ended }
    : { ended, language: session.language, brand: await brandOf(read, ends.sessionId, deps.mediaBase) }
}

const input = z.object({
  token: z.string().min(1).max(300).describe('The last part of the address that a mail names.'),
  of: which.default('talk').describe('`talk`, or `host`: all talks of its host. A mail to people of an account is of one kind.'),
})

async function set({ token, of }: z.output<typeof input>, isWanted: boolean, now: number, deps: RegistrationsDeps): Promise<void> {
  const id = idOf(deps, token)
  const isDone =
    id !== null &&
    (await deps.store.write(async (tx) => {
      if (id.startsWith('host~')) return chooseHostMails(tx, id, isWanted, now)
      return isWanted ? begin(tx, deps, id, of) : end(tx, deps, id, of, now)
    }))
  if (!isDone) throw new ServiceError('not_found', 'There are no such mails, or they have ended.')
}

export const endMails = operation({
  name: 'end_mails',
  summary: 'Want no more mails',
  description:
    'What a mail names as its end (RFC 8058): of one talk or of all talks of its host for who registered, of one kind for a host. It holds until `want_mails`, whoever registers the address again.',
  access: open,
  effects: changes,
  limit: 'room',
  input,
  secret: true,
  async run(wanted, { now }, deps: RegistrationsDeps) {
    await set(wanted, false, now, deps)
    return { ended: true as const }
  },
  http: { method: 'DELETE', path: '/api/v1/mails/{token}', output: z.object({ ended: z.literal(true) }) },
})

export const wantMails = operation({
  name: 'want_mails',
  summary: 'Have mails again',
  description:
    'Takes the end of mails back, for who has the address that a mail or their own page names. What they were not told meanwhile comes.',
  access: open,
  effects: changes,
  limit: 'room',
  input,
  secret: true,
  async run(wanted, { now }, deps: RegistrationsDeps) {
    await set(wanted, true, now, deps)
    return { ended: false as const }
  },
  http: { method: 'PUT', path: '/api/v1/mails/{token}', output: z.object({ ended: z.literal(false) }) },
})
