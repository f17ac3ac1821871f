// Agent registrations (spec 3.2): registered, claimed, revoked, expired. Every move locks the row first, so of many at once one
// decides and the others see it.
import { revokeCredentials } from '../accounts/credentials.ts'
import { hashSecret, isPageToken } from '../accounts/token.ts'
import type { Ids } from '../platform/ids.ts'
import { invalidInput } from '../platform/parse.ts'
import { anonymousScopes, type Scope, scopes } from '../platform/principal.ts'
import type { Reader, Topic, Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../platform/db/tables/auth.ts'

/** Seconds an agent waits between two tries of the claim. */
export const pollSeconds = 5
/** How long a person may take back a claim. */
export const undoMs = 24 * 60 * 60_000
export const codeLifeMs = 10 * 60_000
export const triesMax = 5

/** The row, held until the transaction ends. */
export async function lockRegistration(tx: Tx, id: string): Promise<RegistrationRow | undefined> {
  return tx
    .updateTable('registrations')
    .set((row) => ({ state: row.ref('state') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The registration behind a claim page; undefined for everything that has no page: unknown, refused, expired, revoked. */
export async function findByPage(read: Reader, token: string, now: number): Promise<RegistrationRow | undefined> {
  if (!isPageToken(token)) return undefined
  const row = await read.selectFrom('registrations').selectAll().where('page_hash', '=', hashSecret(token)).executeTakeFirst()
  return row !== undefined && hasPage(row, now) ? row : undefined
}

export function hasPage(row: RegistrationRow, now: number): boolean {
  return row.state === 'claimed' || (row.state === 'registered' && row.denied_at === null && row.expires_at > now)
}

/** What claiming adds to what an agent holds (spec 5.4). */
export const elevatedScopes: readonly Scope[] = scopes.filter((scope) => !anonymousScopes.includes(scope))

/** What a claim lets an agent do at most. A signed assertion has said what its agent may do; claiming adds nothing to that. */
export function claimable({ scopes: held, issuer }: Pick<RegistrationRow, 'scopes' | 'issuer'>): readonly Scope[] {
  const has = new Set(held.split(' '))
  return scopes.filter((scope) => has.has(scope) || (issuer === null && elevatedScopes.includes(scope)))
}

/** `wanted`, of those that may be had, in the order of the contract; all of them where nothing was wanted. */
export function narrowed(available: readonly Scope[], wanted: string | undefined): readonly Scope[] {
  const asked = wanted?.split(' ').filter(Boolean)
  const kept = asked === undefined ? available : available.filter((scope) => asked.includes(scope))
  if (kept.length > 0) return kept
  throw invalidInput([{ pointer: '#/scope', detail: `send some of ${available.join(', ')}, or leave it out.` }])
}

// The code that a person reads to their agent: 8 of 20 consonants (34 bits), in two groups. Case, spaces and dashes do not
// matter, and no word can be spelt.

const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** `BDFK-RTWX`, unbiased. */
export function mintClaimCode(ids: Ids): string {
  let code = ''
  while (code.length < length) {
    for (const byte of ids.bytes(16)) {
      if (byte < 240 && code.length < length) code += alphabet.charAt(byte % alphabet.length)
    }
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** As it is shown; other text stays recognisably wrong. */
export function normalCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[\s\u2010-\u2015-]/g, '')
  return /^[BCDFGHJ-NP-TVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters
}

/** Bound to its registration, so that the code of another one never matches. */
export function hashCode(registrationId: string, code: string): string {
  return hashSecret(`${registrationId} ${normalCode(code)}`)
}

// Ends a registration with every credential it has (spec 3.2). The first time stays: a repeat changes nothing.

/** When it was revoked, now or before; undefined where it never was, or has expired. */
export async function revokeRegistration(
  tx: Tx,
  ring: (topic: Topic) => void,
  id: string,
  { reason, now }: { reason: string; now: number },
): Promise<number | undefined> {
  const row = await lockRegistration(tx, id)
  if (row === undefined || row.state === 'expired') return undefined
  if (row.revoked_at !== null) return row.revoked_at
  await tx.updateTable('registrations').set({ state: 'revoked', revoked_at: now }).where('id', '=', id).execute()
  await revokeCredentials(tx, ring, { registrationId: id }, { reason, now })
  return now
}
