// The one format of every bearer secret: `rst_<kind>_<32 base62><6 base62 of CRC-32>` (spec 5). Opaque, kept only as its
// SHA-256, and recognisable to secret scanners by the pattern that /docs publishes.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Clock, type Ids, randomBase62, uuidV7 } from '@rostrum/base/clock'
import { prepared } from '../platform/db/statements.ts'
import { type Reader, ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { AccountRow, CredentialRow } from './tables.ts'
import { isScope, type Principal, type Scope } from '../platform/principal.ts'

/** API key, agent token, attendee token, claim token of an agent, OAuth access token, refresh token. */
export const tokenKinds = ['live', 'agt', 'att', 'clm', 'oat', 'ort'] as const
export type TokenKind = (typeof tokenKinds)[number]

const shape = /^rst_([a-z]{3,4})_[0-9A-Za-z]{38}$/
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new token with 190 random bits. */
export function mint(kind: TokenKind, ids: Ids): string {
  const body = `rst_${kind}_${randomBase62(ids, 32)}`
  return body + checksum(body)
}

/** The kind of a well-formed token, by shape and checksum alone; undefined for anything else. Never throws. */
export function tokenKind(text: string): TokenKind | undefined {
  const named = shape.exec(text)?.[1]
  const kind = tokenKinds.find((candidate) => candidate === named)
  return kind !== undefined && checksum(text.slice(0, -6)) === text.slice(-6) ? kind : undefined
}

/** What the store keeps in place of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** An unguessable part of an address (130 bits): set-up, reset, invitation and claim pages. */
export function mintPageToken(ids: Ids): string {
  return randomBase62(ids, 22)
}

/** The same of bytes that nobody can guess. */
export function pageTokenFrom(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; text.length < 22; rest /= 62n) text += base62.charAt(Number(rest % 62n))
  return text
}

export function isPageToken(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = base62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

// Rows of bearer secrets: written once as a hash, found by it, ended by one update (spec 5.7). The secret itself exists only
// in the answer that hands it out.

export interface NewCredential {
  kind: CredentialRow['kind']
  accountId: string
  userId?: string | undefined
  registrationId?: string | undefined
  grantId?: string | undefined
  clientId?: string | undefined
  /** Where it was minted elsewhere. */
  token?: string | undefined
  name: string
  scopes: readonly Scope[]
  expiresAt: number | null
  now: number
}

/** Makes a credential; the token is in no row. */
export async function issueCredential(tx: Tx, ids: Ids, credential: NewCredential): Promise<{ row: CredentialRow; token: string }> {
  const token = credential.token ?? mint(credential.kind, ids)
  const values = {
    id: uuidV7(ids, credential.now),
    hash: hashSecret(token),
    kind: credential.kind,
    last4: token.slice(-4),
    account_id: credential.accountId,
    user_id: credential.userId ?? null,
    registration_id: credential.registrationId ?? null,
    grant_id: credential.grantId ?? null,
    client_id: credential.clientId ?? null,
    name: credential.name,
    scopes: credential.scopes.join(' '),
    expires_at: credential.expiresAt,
    created_at: credential.now,
  }
  return { row: await tx.insertInto('credentials').values(values).returningAll().executeTakeFirstOrThrow(), token }
}

/** Which credentials to end: every column given must fit. */
type CredentialFilter = Partial<Pick<CredentialRow, 'id' | 'kind' | 'account_id' | 'user_id' | 'registration_id' | 'grant_id'>>

/** Why and when something ended. */
export interface EndedHow {
  reason: string
  now: number
}

/** Ends live credentials and tells every node; returns how many. One that is already ended keeps its first time. */
export async function revokeCredentials(
  tx: Tx,
  filter: CredentialFilter,
  { reason, now, exceptId }: EndedHow & { exceptId?: string | undefined },
): Promise<number> {
  let update = tx
    .updateTable('credentials')
    .set({ revoked_at: now, revoke_reason: reason })
    .where('revoked_at', 'is', null)
    .where((row) => row.and(filter))
  if (exceptId !== undefined) update = update.where('id', '<>', exceptId)
  const ended = await update.returning('id').execute()
  if (ended.length > 0) ringAfter(tx, 'credentials')
  return ended.length
}

// What a credential may still do, by its id: for work that goes on after the call that started it, such as webhooks. Tokens of an
// agent or of a connector are replaced every hour; what they started lives as long as the registration or the consent behind them.

/** The scopes of a live credential; null where it, its account, its person or its registration has ended. */
export async function credentialScopes(read: Reader, credentialId: string, now: number): Promise<readonly Scope[] | null> {
  const row = await read
    .selectFrom('credentials as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    // A claim binds the registration; the tokens from before it still name the agent's own account.
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', ({ fn }) => fn.coalesce('r.account_id', 'c.account_id')))
    .leftJoin('users as u', (join) => join.on('u.id', '=', ({ fn }) => fn.coalesce('r.owner_user_id', 'c.user_id')))
    .leftJoin('oauth_grants as g', 'g.grant_id', 'c.grant_id')
    .select(['c.scopes', 'r.scopes as agentScopes'])
    .where('c.id', '=', credentialId)
    .where('a.closed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where((row) =>
      row.or([
        row.and([
          row('c.registration_id', 'is', null),
          row('c.revoked_at', 'is', null),
          row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', now), row('c.grant_id', 'is not', null)]),
        ]),
        row.and([row('r.state', 'in', ['registered', 'claimed']), row('r.expires_at', '>', now)]),
      ]),
    )
    .where((row) => row.or([row('c.grant_id', 'is', null), row.and([row('g.grant_id', 'is not', null), row('g.revoked_at', 'is', null)])]))
    .executeTakeFirst()
  return row === undefined ? null : (row.agentScopes ?? row.scopes).split(' ').filter(isScope)
}

// The one indexed lookup behind every bearer credential: alive means that the credential, its account, its person with their
// membership, and its registration are all alive. Compiled once, because it runs in every call.

export type FoundCredential = Pick<
  CredentialRow,
  'id' | 'account_id' | 'user_id' | 'registration_id' | 'name' | 'scopes' | 'last_used_at' | 'expires_at'
> & {
  kind: 'live' | 'agt' | 'oat'
  account_kind: AccountRow['kind']
}

/** The live credential with this hash. */
export type CredentialLookup = (hash: string, now: number) => Promise<FoundCredential | undefined>

const findLive = prepared((db, value: { hash: string; now: number }) =>
  db
    .selectFrom('credentials as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('memberships as m', (join) => join.onRef('m.account_id', '=', 'c.account_id').onRef('m.user_id', '=', 'c.user_id'))
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .leftJoin('oauth_grants as g', 'g.grant_id', 'c.grant_id')
    .select(['c.id', 'c.kind', 'c.account_id', 'c.user_id', 'c.registration_id', 'c.name', 'c.scopes', 'c.last_used_at', 'c.expires_at'])
    .select('a.kind as account_kind')
    .where('c.hash', '=', value.hash)
    .where((row) => row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', value.now)]))
    .where('c.kind', 'in', ['live', 'agt', 'oat'])
    .where('c.revoked_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .where((row) => row.or([row('c.user_id', 'is', null), row.and([row('m.id', 'is not', null), row('u.disabled_at', 'is', null)])]))
    .where((row) => row.or([row('c.registration_id', 'is', null), row('r.state', 'in', ['registered', 'claimed'])]))
    // A token that a racing exchange wrote after its family was revoked is dead by its grant.
    .where((row) => row.or([row('c.grant_id', 'is', null), row.and([row('g.grant_id', 'is not', null), row('g.revoked_at', 'is', null)])]))
    .$narrowType<{ kind: FoundCredential['kind'] }>(),
)

export function createCredentialLookup({ read }: Store): CredentialLookup {
  return async (hash, now) => (await findLive(read, { hash, now }))[0]
}

// Spares the store the same question: a live credential is remembered for half a second, and forgotten as soon as any node ends or
// changes one (spec 5.7).

export const keptMs = 500
/** Beyond it everything is forgotten at once; half a second fills it again. */
const sizeMax = 50_000

export function cachedLookup(store: Pick<Store, 'listen'>, find: CredentialLookup): { find: CredentialLookup; stop(): void } {
  let kept = new Map<string, { found: FoundCredential; until: number }>()
  const stop = store.listen('credentials', () => {
    kept = new Map()
  })
  return {
    async find(hash, now) {
      const known = kept.get(hash)
      // A clock that was set back keeps nothing alive.
      if (known !== undefined && now < known.until && now >= known.until - keptMs) return known.found
      // What is told while the question is under way may be newer than its answer, which then goes into the forgotten map.
      const mine = kept
      mine.delete(hash)
      const found = await find(hash, now)
      if (found !== undefined) {
        if (mine.size >= sizeMax) mine.clear()
        mine.set(hash, { found, until: Math.min(now + keptMs, found.expires_at ?? Infinity) })
      }
      return found
    },
    stop,
  }
}

// "Last used" of credentials and sign-ins: noted in memory, at most once a minute each, and written together every ten
// seconds, because a durable write per request would cost more than the request.

const notedEveryMs = 60_000
const flushEveryMs = 10_000

export type Activity = ReturnType<typeof createActivity>

export function createActivity(store: Store, clock: Clock, onFailure: (error: unknown) => void = () => undefined) {
  let noted = new Map<string, { kind: 'credential' | 'sign_in'; id: string; at: number }>()
  let cancel: (() => void) | undefined
  let written: Promise<void> = Promise.resolve()

  /** Also waits for a write that an earlier call began. */
  function flush(): Promise<void> {
    cancel?.()
    cancel = undefined
    const batch = [...noted.values()]
    noted = new Map()
    if (batch.length === 0) return written
    const writing = written.then(() => write(batch))
    written = writing.catch(() => undefined)
    return writing
  }

  async function write(batch: readonly { kind: 'credential' | 'sign_in'; id: string; at: number }[]): Promise<void> {
    await store.write(async (tx) => {
      for (const { kind, id, at } of batch) {
        if (kind === 'credential') await markUsed(tx, id, at)
        else await tx.updateTable('sign_ins').set({ seen_at: at }).where('id', '=', id).where('seen_at', '<', at).execute()
      }
    })
  }

  return {
    /** `lastAt` is what the store has. */
    used(kind: 'credential' | 'sign_in', id: string, lastAt: number | null, now: number): void {
      if (lastAt !== null && now - lastAt < notedEveryMs) return
      noted.set(id, { kind, id, at: now })
      cancel ??= clock.after(flushEveryMs, () => {
        cancel = undefined
        flush().catch(onFailure)
      })
    },
    flush,
    /** Writes what is noted and stops, also where the store is away. */
    close: () => flush().catch(onFailure),
  }
}

/** Never back in time: another node may have noted a later use. */
async function markUsed(tx: Tx, id: string, at: number): Promise<void> {
  await tx
    .updateTable('credentials')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
    .execute()
}

// Open streams by the credential or sign-in they were opened with: its end, by revocation or expiry, closes them within a second,
// on every node (spec 5.7). The doorbell is a hint; a poll of what was ended is the truth.

const pollMs = 500
/** Ends are looked at again for this long, because clocks of nodes differ and commits come late. */
const overlapMs = 5_000

export function createOpenStreams(store: Store, clock: Clock, onFailure: (error: unknown) => void) {
  const open = new Map<string, Set<() => void>>()
  let lookedAt = 0
  let cancel: (() => void) | undefined
  let unlisten: (() => void) | undefined
  let isLooking = false

  function closeAll(id: string): void {
    const streams = open.get(id)
    open.delete(id)
    for (const close of streams ?? []) close()
  }

  async function look(): Promise<void> {
    if (isLooking || open.size === 0) return
    isLooking = true
    try {
      const now = clock.now()
      const since = lookedAt - overlapMs
      const credentials = await store.read.selectFrom('credentials').select('id').where('revoked_at', '>=', since).execute()
      const expired = await store.read
        .selectFrom('credentials')
        .select('id')
        .where('expires_at', '>=', since)
        .where('expires_at', '<=', now)
        .execute()
      const signIns = await store.read.selectFrom('sign_ins').select('id').where('ended_at', '>=', since).execute()
      lookedAt = now
      for (const { id } of [...credentials, ...expired, ...signIns]) closeAll(id)
    } finally {
      isLooking = false
    }
  }

  /** Polls only while a stream is open. */
  function lookLater(): void {
    cancel ??= clock.after(pollMs, () => {
      cancel = undefined
      look()
        .catch(onFailure)
        .finally(() => {
          if (open.size > 0) lookLater()
        })
    })
  }

  return {
    /**
     * Calls `close` once when the principal's credential is ended. The returned function forgets the stream; undefined where the
     * principal has no credential, as an attendee has none.
     */
    track(principal: Principal, close: () => void): (() => void) | undefined {
      const id = principal.kind === 'user' ? principal.signInId : 'credentialId' in principal ? principal.credentialId : undefined
      if (id === undefined) return undefined
      if (open.size === 0) lookedAt = clock.now()
      unlisten ??= store.listen('credentials', () => void look().catch(onFailure))
      const streams = open.get(id) ?? new Set()
      open.set(id, streams.add(close))
      lookLater()
      return () => {
        streams.delete(close)
        if (streams.size === 0 && open.get(id) === streams) open.delete(id)
      }
    },
    stop() {
      cancel?.()
      unlisten?.()
    },
  }
}
