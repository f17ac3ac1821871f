// A session as the wire shows it: one record for every HTTP answer, one summary and one detail for tools (spec 2.2 to 2.4).
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import { prepared } from '../storage/prepared.ts'
import type { SessionRow } from '../storage/tables/sessions.ts'
import type { Reader, Tx } from '../storage/store.ts'
import type { DeckSummary } from './ports.ts'

export type Session = Selectable<SessionRow>

export const iso = (at: number): string => new Date(at).toISOString()
export const roomUrl = (baseUrl: string, slug: string): string => `${baseUrl}/join/${slug}`
export const rehearsalUrl = (baseUrl: string, token: string | null): string | undefined =>
  token === null ? undefined : `${baseUrl}/rehearse/${token}`

const findOwn = prepared(['id', 'account'] as [string, string], (read, id, account) =>
  read.selectFrom('sessions').selectAll().where('id', '=', id).where('account_id', '=', account),
)

/** A session of the account, or `not_found`: what belongs to another account answers as if it did not exist. */
export async function ownSession(read: Reader | Tx, accountId: string, sessionId: string): Promise<Session> {
  const [row] = await findOwn(read, sessionId.toLowerCase(), accountId)
  if (row === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
  return row
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

/** Members whose value is null are left out: on this wire absent means absent. */
function present<T extends Record<string, unknown>>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as never
}

export interface LiveNow {
  online: number
  slideIndex: number | null
}

export function toRecord(row: Session, baseUrl: string, live?: LiveNow) {
  return {
    id: row.id,
    sessionId: row.id,
    slug: row.slug,
    title: row.title,
    ...present({ description: row.description }),
    mode: row.mode,
    status: row.status,
    isLive: row.status === 'published',
    slidesCount: row.slides_count,
    shareLink: roomUrl(baseUrl, row.slug),
    createdAt: iso(row.created_at),
    created_at: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(live === undefined ? {} : present({ attendeesOnline: live.online, slideIndex: live.slideIndex })),
  }
}

export function toSettings(row: Session, baseUrl: string, deck: DeckSummary, live?: LiveNow) {
  return {
    ...toRecord(row, baseUrl, live),
    ...present({
      rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
      publishedAt: row.published_at === null ? null : iso(row.published_at),
      voice: row.voice,
      ctaText: row.cta_text,
      ctaUrl: row.cta_url,
      consentText: row.consent_text,
      startsAt: row.starts_at === null ? null : iso(row.starts_at),
      embedOrigins: row.embed_origins === null ? null : stringList(row.embed_origins),
      targetSeconds: row.target_seconds,
    }),
    language: row.language,
    tags: stringList(row.tags),
    discoverable: row.discoverable === 1,
    ctaKind: row.cta_kind,
    ctaRules: stringList(row.cta_rules),
    startPolicy: row.start_policy,
    moderation: row.moderation,
    deckState: deck.state,
  }
}

const strings = z.array(z.string())

/** Lists are stored as JSON text that only this feature writes. */
export function stringList(json: string): string[] {
  return strings.parse(JSON.parse(json))
}
