// Rows of sessions: how they are found, held and stored.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { type Guest, record, recordOf, settingOf } from '@rostrum/contract/session'
import { type Ids, iso, randomBase32 } from '@rostrum/base/clock'
import { held, prepared } from '../platform/db/statements.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { SessionRow } from './tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import { paletteOf } from '@rostrum/contract/palette'
import { shownBrand } from './brand.ts'

export type Session = Selectable<SessionRow>

interface Own {
  id: string
  account: string
}

const ofAccount = (db: Reader, own: Own) =>
  db.selectFrom('sessions').selectAll().where('id', '=', own.id).where('account_id', '=', own.account)

const findOwn = prepared(ofAccount)
/** By the account too: who may not see a session must neither hold it nor wait for whoever does. */
const holdOwn = prepared((db, own: Own) => held(db, ofAccount(db, own)))
const hold = prepared((db, { id }: { id: string }) => held(db, db.selectFrom('sessions').selectAll().where('id', '=', id)))

const putSession = prepared((db, row: Session) =>
  db
    .insertInto('sessions')
    .values(row)
    .onConflict((on) => on.column('slug').doNothing())
    .returning('slug'),
)

/** A new session before it has its address. */
export type Unplaced = Omit<Session, 'slug'>

/** Stores a new session; gives its slug. `draw` makes one with a random end, which may be another's: then the next one is tried. */
export async function insertSession(tx: Tx, row: Unplaced, draw: () => string): Promise<string> {
  for (;;) {
    const [put] = await putSession(tx, { ...row, slug: draw() })
    if (put !== undefined) return put.slug
  }
}

/**
 * A session that nobody else changes until the end of the write, nor its deck or knowledge: of two changes at once, the second sees the
 * first. Undefined where it is gone. Anybody's: where the caller must own it, `ownSession` holds it.
 *
 * The order of locks: a run, its session, then what belongs to the session. What a presenter writes to a run tells the session, so whoever
 * holds a session locks no run any more.
 */
export async function holdSession(tx: Tx, sessionId: string): Promise<Session | undefined> {
  const [row] = await hold(tx, { id: sessionId })
  return row
}

/** A session of the account, held within a write; or `not_found`: what belongs to another account answers as if it did not exist. */
export async function ownSession(db: Reader | Tx, accountId: string, sessionId: string): Promise<Session> {
  const own = { id: sessionId, account: accountId }
  const [row] = await (db.isTransaction ? holdOwn(db, own) : findOwn(db, own))
  if (row === undefined) throw noSession()
  return row
}

/** As `minutes.ts` counts. */
const heardMinutes = sql<number>`(CAST(coalesce(sum(ledger.seconds), 0) AS BIGINT) + 59) / 60`

/** The row, with the state of the newest version of its deck and whether anybody is in a room of it: one look for the busiest read. */
const findShown = prepared((db, own: Own) =>
  db
    .selectFrom('sessions')
    .selectAll('sessions')
    .select((row) => [
      row
        .selectFrom('decks')
        .select('decks.state')
        .whereRef('decks.session_id', '=', 'sessions.id')
        .orderBy('decks.version', 'desc')
        .limit(1)
        .as('deck_state'),
      row
        .selectFrom('visits')
        .select('visits.run_id')
        .whereRef('visits.session_id', '=', 'sessions.id')
        .where('visits.left_at', 'is', null)
        .limit(1)
        .as('visited_run'),
      row
        .case()
        .when('sessions.minutes_max', 'is not', null)
        .then(row.selectFrom('ledger').select(heardMinutes.as('used')).whereRef('ledger.session_id', '=', 'sessions.id'))
        .end()
        .as('minutes_used'),
    ])
    .where('sessions.id', '=', own.id)
    .where('sessions.account_id', '=', own.account),
)

export type ShownRow = Awaited<ReturnType<typeof findShown>>[number]

/** As `ownSession`, with what the whole record shows beside the row. */
export async function ownShown(read: Reader, accountId: string, sessionId: string): Promise<ShownRow> {
  const [row] = await findShown(read, { id: sessionId, account: accountId })
  if (row === undefined) throw noSession()
  return row
}

function noSession(): ServiceError {
  return new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
}

/** Where a published session is asked for and there is none: a draft says so to its own account, and to nobody else. */
export async function notPublished(db: Reader | Tx, accountId: string | undefined, sessionId: string): Promise<ServiceError> {
  const own = accountId === undefined ? [] : await findOwn(db, { id: sessionId, account: accountId })
  return new ServiceError(
    'not_found',
    own[0]?.status === 'draft'
      ? 'This session of yours is a draft, which only its rehearsalUrl opens. Publish it: `POST {base_url}/api/v1/agent/sessions/{sessionId}/publish`, or the tool create_session with its sessionId and isLive true.'
      : 'There is no such published session. Find one with discover_sessions.',
  )
}

/** Rung (`Store.listen`) when what a session presents has changed: the progress of its deck, its slides, its script, the version in service. */
export const deckTopic = (sessionId: string): string => `deck:${sessionId}`

// The slug of a share link: the title in ASCII words and a random end, so that a link cannot be guessed from a title.

const wordsMax = 60
const randomLength = 6

/** At most 60 characters of title, a hyphen, six base32 characters. A title without ASCII words gives `talk-...`. */
export function slugOf(title: string, ids: Ids): string {
  const ascii = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, wordsMax)
    .replace(/^-+|(?<!-)-+$/g, '')
  return `${ascii === '' ? 'talk' : ascii}-${randomBase32(ids, randomLength)}`
}

/** 26 base32 characters, 130 bits; never derived from the slug, and without a hyphen, so that a room key tells which it is. */
export function rehearsalToken(ids: Ids): string {
  return randomBase32(ids, 26)
}

/** Each by a key of their own. Who was named before keeps theirs, so that a link that was sent still works. */
export function withKeys(named: readonly Guest[], before: readonly Guest[], ids: Ids): Guest[] {
  const kept = new Map(before.map((guest) => [guest.email.toLowerCase(), guest.key]))
  const once = new Map(named.map((guest) => [guest.email.toLowerCase(), guest]))
  return [...once].map(([email, guest]) => ({ ...guest, key: kept.get(email) ?? randomBase32(ids, 26) }))
}

// Whether somebody vouches for a session. What an anonymous agent makes belongs to an account of the agent's own until a person
// claims it; then its rows move to their account (agents/moved-rows). So the account tells, and nothing is kept beside it.

const ofAgent = (row: ExpressionBuilder<Tables, 'sessions'>) =>
  row.selectFrom('accounts').select('accounts.id').whereRef('accounts.id', '=', 'sessions.account_id').where('accounts.kind', '=', 'agent')

/** For `where`, in every look that shows sessions to others than their account. */
export const isVouched = (row: ExpressionBuilder<Tables, 'sessions'>) => row.not(row.exists(ofAgent(row)))

/** For `select ... as unclaimed`: the account of the agent that nobody has claimed, else null. */
export const unclaimedAccount = (row: ExpressionBuilder<Tables, 'sessions'>) => ofAgent(row).as('unclaimed')

const findVouched = prepared((db, wanted: { id: string }) =>
  db.selectFrom('sessions').select('id').where('id', '=', wanted.id).where(isVouched),
)

/** Asked at each use of what only vouched sessions get, so that a claim opens it at once. False for one that is gone. */
export async function isSessionVouched(read: Reader, sessionId: string): Promise<boolean> {
  return (await findVouched(read, { id: sessionId })).length > 0
}

// A session as the wire shows it: one record for every HTTP answer, one summary and one detail for tools (spec 2.2 to 2.4).

export const roomUrl = (baseUrl: string, slug: string): string => `${baseUrl}/join/${slug}`
export const dashboardUrl = (baseUrl: string, sessionId: string): string => `${baseUrl}/dashboard/sessions/${sessionId}`
/** The page that names where the call to action leads, of a session that nobody vouches for. */
export const leavingUrl = (baseUrl: string, sessionId: string): string => `${baseUrl}/leaving/${sessionId}`
export const rehearsalUrl = (baseUrl: string, token: string | null): string | undefined =>
  token === null ? undefined : `${baseUrl}/rehearse/${token}`

export const sessionRecord = z.object({
  id: z.string(),
  sessionId: z.string(),
  slug: z.string(),
  title: record.title,
  description: record.description,
  mode: record.mode,
  status: z.enum(['draft', 'published']),
  isLive: z.boolean(),
  slidesCount: z.number(),
  shareLink: z.string(),
  createdAt: z.string(),
  created_at: z.string(),
  updatedAt: z.string(),
  guestsCount: z.number().optional().describe('How many alone may join; `shareLink` lets nobody else in.'),
  attendeesOnline: z.number().optional(),
  slideIndex: z.number().optional(),
})

export const sessionSettings = sessionRecord.extend({
  ...record,
  rehearsalUrl: z.string().optional(),
  publishedAt: z.string().optional(),
  languageFrom: z.enum(['host', 'deck', 'default']).describe('Who said so: the host, the words of the deck, or nobody.'),
  presenterImageUrl: z.string().optional().describe('Set by `PUT .../portrait`.'),
  brandNotes: z.array(z.string()).optional().describe('What of `brand` is shown otherwise, so that it can be read.'),
  minutesUsed: z.number().optional().describe('Of `minutesMax`, by all runs so far.'),
  deckState: z.enum(['none', 'pending', 'processing', 'ready', 'failed']),
})

/** On this wire absent means absent, and JSON leaves out what is undefined. */
function present<T>(value: T | null): T | undefined {
  return value ?? undefined
}

/** Where rooms and media are, without a trailing slash. */
export interface Bases {
  baseUrl: string
  mediaBase: string
}

export const portraitUrl = (mediaBase: string, key: string): string => `${mediaBase}/media/${key}`

export interface LiveNow {
  online: number
  slideIndex: number | null
}

export function toRecord(row: Session, baseUrl: string, live?: LiveNow) {
  const createdAt = iso(row.created_at)
  return {
    id: row.id,
    sessionId: row.id,
    slug: row.slug,
    title: row.title,
    description: present(row.description),
    mode: row.mode,
    status: row.status,
    isLive: row.status === 'published',
    slidesCount: row.slides_count,
    shareLink: roomUrl(baseUrl, row.slug),
    createdAt,
    created_at: createdAt,
    updatedAt: iso(row.updated_at),
    guestsCount: settingOf('guests', row)?.length,
    attendeesOnline: live?.online,
    slideIndex: present(live?.slideIndex ?? null),
  }
}

export function toSettings(row: ShownRow, { baseUrl, mediaBase }: Bases, live?: LiveNow) {
  const brand = shownBrand(settingOf('brand', row), mediaBase)
  return {
    ...toRecord(row, baseUrl, live),
    ...recordOf(row),
    ...(brand && { brand, brandNotes: [...paletteOf(brand).notes] }),
    rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
    publishedAt: row.published_at === null ? undefined : iso(row.published_at),
    languageFrom: row.language_from,
    presenterImageUrl: row.portrait_key === null ? undefined : portraitUrl(mediaBase, row.portrait_key),
    minutesUsed: row.minutes_max === null ? undefined : Number(row.minutes_used),
    deckState: row.deck_state ?? 'none',
  }
}
