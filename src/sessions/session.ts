// A session as the wire shows it: one record for every HTTP answer, one summary and one detail for tools (spec 2.2 to 2.4).
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import { iso } from '../kernel/iso.ts'
import { prepared } from '../storage/prepared.ts'
import { held } from '../storage/row-locks.ts'
import type { SessionRow } from '../storage/tables/sessions.ts'
import type { Reader, Tx } from '../storage/store.ts'

export type Session = Selectable<SessionRow>

export const roomUrl = (baseUrl: string, slug: string): string => `${baseUrl}/join/${slug}`
export const rehearsalUrl = (baseUrl: string, token: string | null): string | undefined =>
  token === null ? undefined : `${baseUrl}/rehearse/${token}`

interface Own {
  id: string
  account: string
}

const findOwn = prepared((db, own: Own) =>
  db.selectFrom('sessions').selectAll().where('id', '=', own.id).where('account_id', '=', own.account),
)

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
 * first. Undefined where it is gone.
 */
export async function holdSession(tx: Tx, sessionId: string): Promise<Session | undefined> {
  const [row] = await hold(tx, { id: sessionId })
  return row
}

/** A session of the account, held within a write; or `not_found`: what belongs to another account answers as if it did not exist. */
export async function ownSession(db: Reader | Tx, accountId: string, sessionId: string): Promise<Session> {
  const id = sessionId.toLowerCase()
  const [row] = await (db.isTransaction ? hold(db, { id }) : findOwn(db, { id, account: accountId }))
  if (row === undefined || row.account_id !== accountId) throw noSession()
  return row
}

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
    ])
    .where('sessions.id', '=', own.id)
    .where('sessions.account_id', '=', own.account),
)

export type ShownRow = Awaited<ReturnType<typeof findShown>>[number]

/** As `ownSession`, with what the whole record shows beside the row. */
export async function ownShown(read: Reader, accountId: string, sessionId: string): Promise<ShownRow> {
  const [row] = await findShown(read, { id: sessionId.toLowerCase(), account: accountId })
  if (row === undefined) throw noSession()
  return row
}

function noSession(): ServiceError {
  return new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
}

const status = z.enum(['draft', 'published'])
const mode = z.enum(['isolated', 'broadcast'])

export const sessionRecord = z.object({
  id: z.string(),
  sessionId: z.string(),
  slug: z.string(),
  title: z.string(),
  description: z.string().optional(),
  mode,
  status,
  isLive: z.boolean(),
  slidesCount: z.number(),
  shareLink: z.string(),
  createdAt: z.string(),
  created_at: z.string(),
  updatedAt: z.string(),
  attendeesOnline: z.number().optional(),
  slideIndex: z.number().optional(),
})

export const sessionSettings = sessionRecord.extend({
  rehearsalUrl: z.string().optional(),
  publishedAt: z.string().optional(),
  language: z.string(),
  voice: z.string().optional(),
  tags: z.array(z.string()),
  discoverable: z.boolean(),
  ctaText: z.string().optional(),
  ctaUrl: z.string().optional(),
  ctaKind: z.enum(['link', 'checkout']),
  ctaRules: z.array(z.string()),
  consentText: z.string().optional(),
  startPolicy: z.enum(['first_attendee', 'scheduled', 'host']),
  startsAt: z.string().optional(),
  embedOrigins: z.array(z.string()).optional(),
  moderation: z.enum(['auto', 'manual']),
  targetSeconds: z.number().optional(),
  deckState: z.enum(['none', 'pending', 'processing', 'ready', 'failed']),
})

/** On this wire absent means absent, and JSON leaves out what is undefined. */
function present<T>(value: T | null): T | undefined {
  return value ?? undefined
}

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
    attendeesOnline: live?.online,
    slideIndex: present(live?.slideIndex ?? null),
  }
}

export function toSettings(row: ShownRow, baseUrl: string, live?: LiveNow) {
  return {
    ...toRecord(row, baseUrl, live),
    rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
    publishedAt: row.published_at === null ? undefined : iso(row.published_at),
    voice: present(row.voice),
    ctaText: present(row.cta_text),
    ctaUrl: present(row.cta_url),
    consentText: present(row.consent_text),
    startsAt: row.starts_at === null ? undefined : iso(row.starts_at),
    embedOrigins: row.embed_origins === null ? undefined : stringList(row.embed_origins),
    targetSeconds: present(row.target_seconds),
    language: row.language,
    tags: stringList(row.tags),
    discoverable: row.discoverable === 1,
    ctaKind: row.cta_kind,
    ctaRules: stringList(row.cta_rules),
    startPolicy: row.start_policy,
    moderation: row.moderation,
    deckState: row.deck_state ?? 'none',
  }
}

/** Lists are stored as JSON text that only this feature writes. */
export function stringList(json: string): string[] {
  if (json === '[]') return []
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.map(String) : []
}
