// A session as the wire shows it: one record for every HTTP answer, one summary and one detail for tools (spec 2.2 to 2.4).
import { z } from 'zod'
import { iso } from '../platform/iso.ts'
import type { Session, ShownRow } from './session.ts'
import { pronunciationsOf, stringList } from './session.ts'

export const roomUrl = (baseUrl: string, slug: string): string => `${baseUrl}/join/${slug}`
/** The page that names where the call to action leads, of a session that nobody vouches for. */
export const leavingUrl = (baseUrl: string, sessionId: string): string => `${baseUrl}/leaving/${sessionId}`
export const rehearsalUrl = (baseUrl: string, token: string | null): string | undefined =>
  token === null ? undefined : `${baseUrl}/rehearse/${token}`

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
  languageFrom: z.enum(['host', 'deck', 'default']).describe('Who said so: the host, the words of the deck, or nobody.'),
  voice: z.string().optional(),
  pronunciations: z.record(z.string(), z.string()).optional(),
  presenterName: z.string().optional(),
  presenterImageUrl: z.string().optional().describe('Set by `PUT .../portrait`.'),
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
  minutesMax: z.number().optional(),
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
    attendeesOnline: live?.online,
    slideIndex: present(live?.slideIndex ?? null),
  }
}

export function toSettings(row: ShownRow, { baseUrl, mediaBase }: Bases, live?: LiveNow) {
  return {
    ...toRecord(row, baseUrl, live),
    rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
    publishedAt: row.published_at === null ? undefined : iso(row.published_at),
    voice: present(row.voice),
    pronunciations: row.pronunciations === null ? undefined : pronunciationsOf(row.pronunciations),
    presenterName: present(row.presenter_name),
    presenterImageUrl: row.portrait_key === null ? undefined : portraitUrl(mediaBase, row.portrait_key),
    ctaText: present(row.cta_text),
    ctaUrl: present(row.cta_url),
    consentText: present(row.consent_text),
    startsAt: row.starts_at === null ? undefined : iso(row.starts_at),
    embedOrigins: row.embed_origins === null ? undefined : stringList(row.embed_origins),
    targetSeconds: present(row.target_seconds),
    minutesMax: present(row.minutes_max),
    minutesUsed: row.minutes_max === null ? undefined : Number(row.minutes_used),
    language: row.language,
    languageFrom: row.language_from,
    tags: stringList(row.tags),
    discoverable: row.discoverable === 1,
    ctaKind: row.cta_kind,
    ctaRules: stringList(row.cta_rules),
    startPolicy: row.start_policy,
    moderation: row.moderation,
    deckState: row.deck_state ?? 'none',
  }
}
