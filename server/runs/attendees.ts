// Attendees and their runs in the store: found by token, joined into the run that their room has for them; and the link that each may keep.
import { createHash } from 'node:crypto'
import { createSigner } from '../accounts/cookies.ts'
import { type Reader, type Store, together, type Tx } from '../platform/db/store.ts'
import { type Utm, utmNames } from '@rostrum/contract/fields'
import { ServiceError } from '@rostrum/base/errors'
import type { AttendeePrincipal } from '../platform/principal.ts'
import type { AttendeeRow, RunRow } from './tables.ts'

const atOnce = 100

/** The attendee whose token has this SHA-256, in hex. */
export async function findAttendee(read: Reader, tokenHash: string): Promise<AttendeePrincipal | undefined> {
  return (await findAll(read, [tokenHash]))[0]
}

async function findAll(read: Reader, hashes: readonly string[]): Promise<(AttendeePrincipal | undefined)[]> {
  const rows = await read
    .selectFrom('attendees')
    .select(['id', 'run_id', 'session_id', 'token_hash'])
    .where('token_hash', 'in', hashes)
    .execute()
  const found = new Map(
    rows.map((row) => [row.token_hash, { kind: 'attendee' as const, attendeeId: row.id, runId: row.run_id, sessionId: row.session_id }]),
  )
  return hashes.map((hash) => found.get(hash))
}

export async function getAttendee(read: Reader | Tx, attendeeId: string): Promise<AttendeeRow> {
  const [row] = await getAll(read, [attendeeId])
  if (row === undefined) throw noSuchRun()
  return row
}

async function getAll(read: Reader | Tx, attendeeIds: readonly string[]): Promise<(AttendeeRow | undefined)[]> {
  const rows = await read.selectFrom('attendees').selectAll().where('id', 'in', attendeeIds).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return attendeeIds.map((id) => found.get(id))
}

/** `findAttendee`, for a crowd: on PostgreSQL those who come at the same time are found by one query, some hundred at a time. */
export function attendeeFinder(store: Store): (tokenHash: string) => Promise<AttendeePrincipal | undefined> {
  if (store.dialect === 'sqlite') return (hash) => findAttendee(store.read, hash)
  return together((hashes) => findAll(store.read, hashes), { itemsMax: atOnce })
}

/** `getAttendee`, for a crowd. */
export function attendeeGetter(store: Store): (attendeeId: string) => Promise<AttendeeRow> {
  if (store.dialect === 'sqlite') return (attendeeId) => getAttendee(store.read, attendeeId)
  const get = together((ids: readonly string[]) => getAll(store.read, ids), { itemsMax: atOnce })
  return async (attendeeId) => {
    const row = await get(attendeeId)
    if (row === undefined) throw noSuchRun()
    return row
  }
}

/** The run as its attendee or its owner may speak of it; another's answers as if it did not exist. */
export async function getOwnRun(read: Reader, accountId: string, runId: string): Promise<RunRow> {
  const row = await read.selectFrom('runs').selectAll().where('id', '=', runId).where('account_id', '=', accountId).executeTakeFirst()
  if (row === undefined) throw noSuchRun()
  return row
}

/** The token of one run opens no other. */
export function requireOwnRun(principal: AttendeePrincipal, runId: string): void {
  if (principal.runId !== runId) throw noSuchRun()
}

export const noSuchRun = (): ServiceError =>
  new ServiceError(
    'not_found',
    'There is no such run, or it is not yours. A host finds theirs with `GET .../sessions/{sessionId}/runs`; who joins a room is given `runId`.',
  )

/**
 * The id of an attendee who joined with an id of their own making. Others in the room see this one and cannot find that one, so
 * nobody can repeat the join of somebody else.
 */
export function attendeeIdOf(sessionId: string, kind: string, ownId: string): string {
  const hex = createHash('sha256').update(`${sessionId}:${kind}:${ownId}`).digest('hex')
  const variant = ((parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

// The link that an attendee may keep after the talk: an address nobody can guess, made from the attendee's id and a MAC over it, so
// that keeping one writes nothing and it opens nothing but that attendee's recap.

export interface RecapLinks {
  /** The whole address of the page. */
  linkOf(attendeeId: string): string
  /** Null for what is no token of ours. */
  attendeeOf(token: string): string | null
}

/** `secrets`: the first signs, all verify, so links outlive a change of `ROSTRUM_SECRET` as long as the old one is listed. */
export function createRecapLinks(secrets: readonly string[], baseUrl: string): RecapLinks {
  const signer = createSigner(secrets, 'recap')
  return {
    linkOf: (attendeeId) => `${baseUrl}/recap/${attendeeId}.${signer.sign(attendeeId)}`,
    attendeeOf(token) {
      const [attendeeId = '', mac = ''] = token.split('.')
      return signer.verify(attendeeId, mac) ? attendeeId : null
    },
  }
}

// Text from strangers on its way to a room: nothing that hides, reorders or impersonates, no contact details, given names only
// where others read them.

// Control characters except tab and newline, bidirectional controls, zero-width spaces, tag characters, the byte order mark. Joiners
// stay: scripts and emoji need them.
const hidden = /[[\p{Cc}--[\t\n]]\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gv

/** The text without control and bidirectional characters, its white space folded to what a line of chat needs. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(hidden, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

export function cleanName(name: string): string | null {
  const clean = cleanText(name).replaceAll('\n', ' ').slice(0, 200)
  return clean === '' ? null : clean
}

/** What is kept of the link that somebody came by; null where it says nothing. */
export function cleanUtm(given: Utm): string | null {
  const clean = utmNames.flatMap((name) => {
    const value = cleanText(given[name] ?? '')
      .replaceAll(/\s+/gu, ' ')
      .trim()
    return value === '' ? [] : [[name, value] as const]
  })
  return clean.length === 0 ? null : JSON.stringify(Object.fromEntries(clean))
}

const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu
const phone = /(?<![\p{L}\p{N}.,])\+?\(?\d(?:[\s()./-]{0,2}\d){7,14}(?![\p{L}\p{N}])/gu

/** Cuts e-mail addresses and telephone numbers: contact details go through the form, with consent, never into a log. */
export function withoutContacts(text: string): { text: string; found: boolean; email: string | null; phone: string | null } {
  const withoutEmail = text.replaceAll(email, '[e-mail]')
  const kept = withoutEmail.replaceAll(phone, '[phone]')
  return { text: kept, found: kept !== text, email: text.match(email)?.[0] ?? null, phone: withoutEmail.match(phone)?.[0] ?? null }
}
