// A session as the wire shows it: one record for every HTTP answer, one summary and one detail for tools (spec 2.2 to 2.4).
import { z } from 'zod'
import { record, recordOf, settingOf } from '../contract/session.ts'
import { iso } from '../platform/clock.ts'
import { readImages } from './deck/blobs/blobs.ts'
import type { Session, ShownRow } from './session.ts'

export const roomUrl = (baseUrl: string, slug: string): string => `${baseUrl}/join/${slug}`
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

/** The narrowest picture of a slide, whose column this is. */
export function coverUrl(images: string | null, mediaBase: string): string | undefined {
  const narrowest = images === null ? undefined : readImages(images).at(-1)
  return narrowest === undefined ? undefined : `${mediaBase}/media/${narrowest.key}`
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
  return {
    ...toRecord(row, baseUrl, live),
    ...recordOf(row),
    rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
    publishedAt: row.published_at === null ? undefined : iso(row.published_at),
    languageFrom: row.language_from,
    presenterImageUrl: row.portrait_key === null ? undefined : portraitUrl(mediaBase, row.portrait_key),
    minutesUsed: row.minutes_max === null ? undefined : Number(row.minutes_used),
    deckState: row.deck_state ?? 'none',
  }
}
