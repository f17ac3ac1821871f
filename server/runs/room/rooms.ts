// The room behind a key: the slug of a published session, or a rehearsal token, which works for drafts too. What anybody with the link may
// see before joining (looking writes nothing, so link previews and crawlers are no attendees), and who is in it now.
import { z } from 'zod'
import { brand } from '@rostrum/contract/brand'
import { shownSlide } from '@rostrum/contract/deck'
import { limits } from '@rostrum/contract/fields'
import { cta as shownCta } from '@rostrum/contract/room'
import { roomRecord, roomSettings } from '@rostrum/contract/session'
import { prepared } from '../../platform/db/statements.ts'
import type { Reader } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { open, operation } from '../../platform/operation.ts'
import type { RoomDeps } from './deps.ts'
import { disclosureOf, unverifiedView } from '../stream/snapshot.ts'
import { roomUrl } from '../../sessions/session.ts'
import type { ContentPort, FoundSession } from '../talks.ts'
import type { Talk, TalkSession } from '@rostrum/contract/talk'

type Room = FoundSession

/** One answer for what does not exist, is a draft, or was unpublished; another for who was not named. */
export async function findRoom({ content }: Pick<RoomDeps, 'content'>, key: string, now: number): Promise<Room> {
  const found = await content.findSession(key.toLowerCase())
  if (found === null || (found.kind === 'live' && found.session.status !== 'published')) {
    throw new ServiceError('not_found', 'This talk is not open.')
  }
  const { barred, by } = found
  const reason = barred ?? ((by?.until ?? now + 1) <= now ? 'expired' : undefined)
  if (reason !== undefined) throw new ServiceError('forbidden', barredWords[reason], { members: { reason } })
  return found
}

const barredWords = {
  guests: 'This talk is for people whom its host has named. Open it by the link of your invitation.',
  unconfirmed:
    'This talk is for people who have registered. Register at {base_url}/register/{slug}, and open the link that is mailed to you.',
  expired: 'This link has expired. Ask the host for another.',
}

/** A scheduled broadcast that was held is over; other talks begin anew with whoever comes. */
export async function hasEnded(read: Reader, session: TalkSession, kind: Room['kind'], now: number): Promise<boolean> {
  const { mode, startPolicy, startsAt, sessionId } = session
  if (kind === 'rehearsal' || mode !== 'broadcast' || startPolicy !== 'scheduled' || startsAt === null || startsAt > now) return false
  const held = await read
    .selectFrom('runs')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'live')
    .where('ended_at', '>=', startsAt)
    .limit(1)
    .executeTakeFirst()
  return held !== undefined
}

async function roomState(read: Reader, { session, kind }: Room, now: number): Promise<'open' | 'draft' | 'scheduled' | 'ended'> {
  if (await hasEnded(read, session, kind, now)) return 'ended'
  if (session.status === 'draft') return 'draft'
  const isScheduled = session.mode === 'broadcast' && session.startPolicy === 'scheduled' && session.startsAt !== null
  return isScheduled && (session.startsAt ?? 0) > now ? 'scheduled' : 'open'
}

// How many people are in the rooms of some sessions at this moment, and which slide a session's newest running talk shows.

export interface LiveNow {
  online: number
  slideIndex: number | null
}

const somebodyIn = prepared((db, visited: { sessionId: string }) =>
  db.selectFrom('visits').select('run_id').where('session_id', '=', visited.sessionId).where('left_at', 'is', null).limit(1),
)

/** Live runs that are not over: who reads the recap is in no room. Sessions with nobody in one are left out. */
export async function liveNow(read: Reader, sessionIds: readonly string[]): Promise<ReadonlyMap<string, LiveNow>> {
  const [only] = sessionIds
  if (only === undefined) return new Map()
  // Most sessions are empty at most times, and a compiled look tells.
  if (sessionIds.length === 1 && (await somebodyIn(read, { sessionId: only })).length === 0) return new Map()
  const counted = await read
    .selectFrom('visits')
    .innerJoin('runs', 'runs.id', 'visits.run_id')
    .select((row) => ['visits.session_id', row.fn.countAll<number>().as('online'), row.fn.max('runs.created_at').as('newest')])
    .where('visits.session_id', 'in', sessionIds)
    .where('visits.left_at', 'is', null)
    .where('runs.kind', '=', 'live')
    .where('runs.status', '!=', 'completed')
    .groupBy('visits.session_id')
    .execute()
  const slides = await Promise.all(counted.map(({ session_id, newest }) => slideOf(read, session_id, newest)))
  return new Map(counted.map(({ session_id, online }, at) => [session_id, { online, slideIndex: slides[at] ?? null }]))
}

export async function slideOf(read: Reader, sessionId: string, startedAt: number): Promise<number | null> {
  const shown = await read
    .selectFrom('run_events')
    .innerJoin('runs', 'runs.id', 'run_events.run_id')
    .select('run_events.data')
    .where('runs.session_id', '=', sessionId)
    .where('runs.created_at', '=', startedAt)
    .where('run_events.type', '=', 'slide')
    .orderBy('run_events.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (shown === undefined) return null
  const data: unknown = JSON.parse(shown.data)
  return typeof data === 'object' && data !== null && 'index' in data && typeof data.index === 'number' ? data.index : null
}

// The room before joining: what anybody with the link may see. Looking writes nothing, so link previews and crawlers are no attendees.

const output = z.object({
  ...roomRecord,
  slug: z.string(),
  state: z.enum(['open', 'draft', 'scheduled', 'ended']),
  kind: z.enum(['live', 'rehearsal']),
  sessionId: z.string().optional(),
  disclosure: z.string(),
  unverified: unverifiedView,
  presenter: z
    .object({ name: z.string().nullable(), imageUrl: z.string().nullable() })
    .optional()
    .describe('Name and portrait that the host gave; whoever shows them says that the presenter is automated.'),
  brand: brand.optional(),
  slides: z.array(shownSlide),
  asks: z.literal(true).optional().describe('There are polls in the talk.'),
  slideSeconds: z.array(z.number()).describe('How long each slide takes at speed 1, in seconds, as estimated.'),
  background: z.array(z.string()).optional().describe('Titles of the background that can be asked for, as its host wrote them.'),
  deckVersion: z.number(),
  cta: shownCta.nullable(),
  consentText: z.string(),
  consentVersion: z.string(),
  guestName: z.string().optional().describe('Of whom the personal link names, as the host wrote it or they registered.'),
  startsAt: z.string().optional(),
  voices: z.object({ tts: z.boolean(), stt: z.boolean() }).describe('Whether the server speaks and listens.'),
  limits: z.object({ question: z.number(), name: z.number() }).describe('Characters that the server takes.'),
})

export type ShownRoom = z.output<typeof output>

/** What a talk shows of itself to whoever may see it, wherever it is held. */
export function shownTalk(session: TalkSession, talk: Talk) {
  return {
    ...roomSettings(session),
    slug: session.slug,
    disclosure: disclosureOf(session),
    ...(session.unverified && { unverified: true as const }),
    ...(session.presenter && { presenter: session.presenter }),
    ...(session.brand && { brand: session.brand }),
    slides: [...talk.slides],
    ...(talk.beats.some(({ poll }) => poll !== undefined) && { asks: true as const }),
    slideSeconds: secondsOf(talk),
    deckVersion: talk.deckVersion,
    cta: session.cta,
    limits: { question: limits.message, name: limits.name },
  }
}

export const viewRoom = operation({
  name: 'view_room',
  summary: 'See a room before joining it',
  access: open,
  limit: 'room',
  errors: ['forbidden'],
  input: z.object({ key: z.string().min(1).max(100).describe('The slug of the session, or its rehearsal token.') }),
  run: async ({ key }, call, deps: RoomDeps) => {
    const room = await findRoom(deps, key, call.now)
    const { session, kind } = room
    const [talk, background] = await Promise.all([
      deps.content.pinnedTalk(session.sessionId, session.deckId),
      backgroundTitles(deps.store.read, session.sessionId),
    ])
    const { language, startsAt } = session
    return {
      ...shownTalk(session, talk),
      state: await roomState(deps.store.read, room, call.now),
      kind,
      // Its report is read beside the room.
      ...(kind === 'rehearsal' ? { sessionId: session.sessionId } : {}),
      ...(background.length > 0 && { background }),
      consentText: session.consentText ?? deps.leads.consentTextIn(language),
      consentVersion: String(session.consentVersion),
      ...(room.by?.name && { guestName: room.by.name }),
      ...(startsAt === null ? {} : { startsAt: new Date(startsAt).toISOString() }),
      // The server speaks and listens for whoever somebody vouches for.
      voices: session.unverified ? { tts: false, stt: false } : deps.voices,
    }
  },
  http: { method: 'GET', path: '/api/v1/rooms/{key}', output },
})

const titlesMax = 6
const titleMaxChars = 80
/** A page of a file, or a part of what was too long, is no title of anybody's. */
const isNumbered = /\d\)?$/

async function backgroundTitles(read: Reader, sessionId: string): Promise<string[]> {
  return titlesOf(await read.selectFrom('passages').select('title').where('session_id', '=', sessionId).orderBy('position').execute())
}

/** Those that ask something, before those that name something. */
export function titlesOf(passages: readonly { title?: string | null }[]): string[] {
  const titles = new Set(
    passages.map(({ title }) => title ?? '').filter((title) => title.length <= titleMaxChars && !isNumbered.test(title)),
  )
  titles.delete('')
  const asks = (title: string) => (/[?？؟]$/.test(title) ? 0 : 1)
  return [...titles].toSorted((a, b) => asks(a) - asks(b)).slice(0, titlesMax)
}

function secondsOf({ slides, beats }: Talk): number[] {
  const ms = slides.map(() => 0)
  for (const { slideIndex, estMs, pauseMs = 0 } of beats) ms[slideIndex] = (ms[slideIndex] ?? 0) + estMs + pauseMs
  return ms.map((each) => Math.round(each / 1_000))
}

// What other sites show of a room: its picture, and the frame that they may put it in (oEmbed 1.0). Only of a talk that whoever has its
// link may join, and that somebody vouches for.

export const previewSize = { width: 1_200, height: 630 }
export const previewUrl = (baseUrl: string, slug: string): string => `${roomUrl(baseUrl, slug)}/preview.jpg`
export const oembedUrl = (baseUrl: string, slug: string): string =>
  `${baseUrl}/api/v1/oembed?url=${encodeURIComponent(roomUrl(baseUrl, slug))}`

/** Null where its host has named who may join, where it is not published, and for a rehearsal. */
export async function openToAll({ findSession }: Pick<ContentPort, 'findSession'>, slug: string): Promise<TalkSession | null> {
  // What follows a dot is one person's own.
  const found = slug.includes('.') ? null : await findSession(slug.toLowerCase())
  if (found === null || found.kind !== 'live' || found.barred !== undefined) return null
  return found.session.status === 'published' && found.session.unverified === undefined ? found.session : null
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const side = z.coerce.number().int().min(200).max(4_000).optional()

export const describeEmbed = operation({
  name: 'describe_embed',
  summary: 'How another site shows a room (oEmbed)',
  description: 'For the link of a talk that is open to whoever has it. Pages of such rooms name this address, so that sites find it.',
  access: open,
  limit: 'room',
  errors: ['not_found'],
  input: z.object({
    url: z.string().min(1).max(limits.url).describe('The link of the talk.'),
    maxwidth: side.describe('Of the frame, in pixels.'),
    maxheight: side.describe('The same.'),
    format: z.literal('json').default('json'),
  }),
  run: async ({ url, maxwidth = 4_000, maxheight = 4_000 }, _call, { content, baseUrl }: RoomDeps) => {
    const asked = URL.parse(url)
    const [slug, ...rest] = asked === null ? [] : `${asked.origin}${asked.pathname}`.slice(roomUrl(baseUrl, '').length).split('/')
    const isRoom = slug !== undefined && rest.length === 0 && `${asked?.origin ?? ''}${asked?.pathname ?? ''}` === roomUrl(baseUrl, slug)
    const session = isRoom ? await openToAll(content, slug) : null
    if (session === null) throw new ServiceError('not_found', 'This is not the link of a talk that is open to all.')
    const [width, height] = [Math.min(960, maxwidth), Math.min(640, maxheight)]
    const hasPicture = previewSize.width <= maxwidth && previewSize.height <= maxheight
    const src = `${roomUrl(baseUrl, session.slug)}?embed=1`
    return {
      version: '1.0' as const,
      type: 'rich' as const,
      title: session.title,
      ...(session.brand?.name !== undefined && { author_name: session.brand.name }),
      provider_url: baseUrl,
      cache_age: 3_600,
      width,
      height,
      html: `<iframe src="${escaped(src)}" title="${escaped(session.title)}" width="${width}" height="${height}" allow="autoplay; microphone; clipboard-write; fullscreen" loading="lazy" frameborder="0"></iframe>`,
      ...(hasPicture && {
        thumbnail_url: previewUrl(baseUrl, session.slug),
        thumbnail_width: previewSize.width,
        thumbnail_height: previewSize.height,
      }),
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/oembed',
    output: z.object({
      version: z.literal('1.0'),
      type: z.literal('rich'),
      title: z.string(),
      author_name: z.string().optional(),
      provider_url: z.string(),
      cache_age: z.number(),
      width: z.number(),
      height: z.number(),
      html: z.string(),
      thumbnail_url: z.string().optional(),
      thumbnail_width: z.number().optional(),
      thumbnail_height: z.number().optional(),
    }),
  },
})
