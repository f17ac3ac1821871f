// Shows one session with its settings (spec 2.4, 4.5 `get_session`).
import { sql } from 'kysely'
import { z } from 'zod'
import { countLimit, text } from '@rostrum/contract/fields'
import { sessionId, settingOf } from '@rostrum/contract/session'
import { iso } from '@rostrum/base/clock'
import { type Cursors, newestFirst } from '../platform/db/cursor.ts'
import type { Reader, Store } from '../platform/db/store.ts'
import { open, operation, scoped } from '../platform/operation.ts'
import { titlesOf } from '../decks/content.ts'
import { newestDeck } from '../decks/deck-rows.ts'
import {
  dashboardUrl,
  isVouched,
  type LiveNow,
  ownShown,
  rehearsalUrl,
  roomUrl,
  type Session,
  sessionRecord,
  sessionSettings,
  type ShownRow,
  toRecord,
  toSettings,
} from '../sessions/session.ts'
import { coverUrl } from '../decks/slide-images.ts'

export interface Shown {
  row: ShownRow
  baseUrl: string
  mediaBase: string
  live?: LiveNow
  /** Read when a view asks: only tools show them. */
  slides(): ReturnType<typeof titlesOf>
  /** Why its deck could not be read. */
  deckReason(): Promise<string | undefined>
}

export interface ShowDeps {
  store: Store
  /** Without a trailing slash, both. */
  baseUrl: string
  mediaBase: string
  /** How many people are in the rooms of these sessions, and where the talk is. */
  live: { now(sessionIds: readonly string[]): Promise<ReadonlyMap<string, LiveNow>> }
}

/** The session as it stands, for every act that answers with the whole record. */
export async function show(
  accountId: string,
  sessionId: string,
  { store, baseUrl, mediaBase, live }: ShowDeps,
  read: Reader = store.read,
): Promise<Shown> {
  const row = await ownShown(read, accountId, sessionId)
  const deckReason = async () => (row.deck_state === 'failed' ? ((await newestDeck(store.read, row.id))?.reason ?? undefined) : undefined)
  const shown = { row, baseUrl, mediaBase, slides: () => titlesOf(store.read, row.id, mediaBase), deckReason }
  if (row.visited_run === null) return shown
  const here = (await live.now([row.id])).get(row.id)
  return here === undefined ? shown : { ...shown, live: here }
}

export const settingsView = ({ row, live, ...bases }: Shown) => toSettings(row, bases, live)

/** What a model may do next with these tools, in order. */
function nextSteps(status: Session['status'], deckState: string): string[] {
  const isRead = deckState === 'pending' || deckState === 'processing'
  if (deckState === 'none' && status === 'published')
    return ['The room is open and has nothing to tell: send slides or a pdfUrl with this sessionId before you share roomUrl.']
  return [
    ...(deckState === 'none' ? ['Send slides or a pdfUrl: create_session with this sessionId.'] : []),
    ...(isRead ? ['The deck is being read: call get_session until deckState is ready.'] : []),
    ...(deckState === 'failed' ? ['The deck could not be read: send slides or another pdfUrl, with this sessionId.'] : []),
    ...(deckState === 'ready' ? ['Open rehearsalUrl to hear it; nobody is told and nothing is counted.'] : []),
    status === 'published'
      ? 'Share roomUrl; afterwards get_session_analytics and export_leads.'
      : 'Publish it: create_session with this sessionId and isLive true. Then share roomUrl.',
  ]
}

/** What a model reads of a session that it has made, changed or asked for, and what it may do next with these tools. */
export const toldShape = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  isLive: z.boolean().optional(),
  roomUrl: z.string(),
  rehearsalUrl: z.string().optional(),
  createdAt: z.string().optional(),
  slug: z.string().optional(),
  deckState: z.string().optional(),
  deckReason: z.string().optional(),
  dashboardUrl: z.string().optional(),
  nextSteps: z.array(z.string()).optional(),
})

export const toldOf = (row: Session, baseUrl: string, deckState: string) => ({
  id: row.id,
  title: row.title,
  status: row.status,
  isLive: row.status === 'published',
  roomUrl: roomUrl(baseUrl, row.slug),
  rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
  createdAt: iso(row.created_at),
  slug: row.slug,
  deckState,
  dashboardUrl: dashboardUrl(baseUrl, row.id),
  nextSteps: nextSteps(row.status, deckState),
})

const slide = z.object({ index: z.number(), title: z.string(), imageUrl: z.string().optional() })

export const getSession = operation({
  name: 'get_session',
  summary: 'Show a session',
  access: scoped('sessions:read'),
  input: z.object({ sessionId }),
  run: async (wanted, call, deps: ShowDeps) => show(call.principal.accountId, wanted.sessionId, deps),
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}', output: sessionSettings, view: (shown) => settingsView(shown) },
  tool: {
    title: 'Show a presentation',
    description:
      'Shows one of your Rostrum presentations: status, slides, deck progress, call to action and links. Use this when you have its id, or to see whether a PDF was read: deckState, and deckReason where it failed. Private agentNotes are not included. Follow nextSteps.',
    output: toldShape.extend({
      roomUrl: z.string().optional(),
      description: z.string().optional(),
      slidesCount: z.number().optional(),
      mode: z.string().optional(),
      slides: z.array(slide).optional(),
      cta: z.object({ text: z.string().optional(), url: z.string().optional() }).optional(),
    }),
    view: async ({ row, baseUrl, slides, deckReason }) => ({
      ...toldOf(row, baseUrl, row.deck_state ?? 'none'),
      description: row.description ?? undefined,
      slidesCount: row.slides_count,
      mode: row.mode,
      deckReason: await deckReason(),
      slides: (await slides()).map(({ index, title, imageUrl }) => ({ index, title, imageUrl: imageUrl ?? undefined })),
      cta: row.cta_url === null ? undefined : { text: row.cta_text ?? undefined, url: row.cta_url },
    }),
    ui: 'sessions/preview',
  },
})

// Lists the account's sessions, newest first, by cursor (spec 4.1, 4.5 `list_sessions`).

const cover = { coverUrl: z.string().optional().describe('A small picture of the first slide, where it has one.') }
const summary = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  created_at: z.string(),
  isLive: z.boolean().optional(),
  slidesCount: z.number().optional(),
  roomUrl: z.string().optional(),
})

export const listSessions = operation({
  name: 'list_sessions',
  summary: 'List sessions',
  access: scoped('sessions:read'),
  input: z.object({
    limit: countLimit(100).describe('How many to return, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
    status: z.enum(['draft', 'published']).optional().describe('Only sessions of this status.'),
  }),
  run: async ({ limit, cursor, status }, call, deps: ShowDeps & { cursors: Cursors }) => {
    const { accountId } = call.principal
    const context = ['sessions', accountId, status ?? '']
    let query = deps.store.read
      .selectFrom('sessions')
      .selectAll()
      .select((row) =>
        row
          .selectFrom('slides')
          .select('slides.images')
          .whereRef('slides.deck_id', '=', 'sessions.deck_id')
          .where('slides.position', '=', 0)
          .as('cover'),
      )
      .where('account_id', '=', accountId)
    if (status !== undefined) query = query.where('status', '=', status)
    const page = await newestFirst(query, deps.cursors, { context, cursor, limit, by: 'created_at' })
    return { ...page, live: await deps.live.now(page.rows.map((row) => row.id)), baseUrl: deps.baseUrl, mediaBase: deps.mediaBase }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions',
    output: z.object({ sessions: z.array(sessionRecord.extend(cover)), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ rows, live, nextCursor, baseUrl, mediaBase }) => ({
      sessions: rows.map((row) => ({ ...toRecord(row, baseUrl, live.get(row.id)), coverUrl: coverUrl(row.cover, mediaBase) })),
      count: rows.length,
      nextCursor,
    }),
  },
  tool: {
    title: 'List presentations',
    description:
      'Lists the presentations of your Rostrum account, newest first, with their ids. Use this when you need a session id or an overview. Next: get_session, get_session_analytics or export_leads with an id.',
    output: z.object({ sessions: z.array(summary), count: z.number().optional(), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor, baseUrl }) => ({
      sessions: rows.map((row) => ({
        id: row.id,
        title: row.title,
        status: row.status,
        created_at: iso(row.created_at),
        isLive: row.status === 'published',
        slidesCount: row.slides_count,
        roomUrl: roomUrl(baseUrl, row.slug),
      })),
      count: rows.length,
      nextCursor,
    }),
    ui: 'sessions/list',
  },
})

// Lists live, publicly discoverable sessions to anybody (spec 2.7, 4.5 `discover_sessions`). No owner data.

interface Discovered {
  rows: readonly Session[]
  total: number
  nextCursor?: string
  baseUrl: string
}

const escapeLike = (query: string) => query.toLowerCase().replace(/[%_\\]/g, (character) => `\\${character}`)

const session = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  joinUrl: z.string(),
  tags: z.array(z.string()),
})

const discovered = z.object({ sessions: z.array(session), total: z.number().optional(), nextCursor: z.string().optional() })

const view = ({ rows, total, nextCursor, baseUrl }: Discovered) => ({
  sessions: rows.map((row) => ({
    id: row.id,
    title: row.title,
    description: row.description ?? '',
    joinUrl: roomUrl(baseUrl, row.slug),
    tags: settingOf('tags', row),
  })),
  total,
  nextCursor,
})

export const discoverSessions = operation({
  name: 'discover_sessions',
  summary: 'Find public sessions',
  description:
    'Published sessions whose host lists them publicly, the most recently active first; none of an agent that nobody has claimed. Needs no credential.',
  access: open,
  limit: 'discovery',
  input: z.object({
    limit: countLimit(50).describe('How many to return, 1 to 50.'),
    query: text(200).optional().describe('Only sessions whose title or description contains this text.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async ({ limit, query, cursor }, _, deps: Pick<ShowDeps, 'store' | 'baseUrl'> & { cursors: Cursors }) => {
    let matching = deps.store.read.selectFrom('sessions').where('status', '=', 'published').where('discoverable', '=', 1).where(isVouched)
    if (query !== undefined && query !== '') {
      const pattern = `%${escapeLike(query)}%`
      matching = matching.where((row) =>
        row.or([
          sql<boolean>`lower(${row.ref('title')}) like ${pattern} escape '\\'`,
          sql<boolean>`lower(coalesce(${row.ref('description')}, '')) like ${pattern} escape '\\'`,
        ]),
      )
    }
    const context = ['discover', query ?? '']
    const [listed, counted] = await Promise.all([
      newestFirst(matching.selectAll(), deps.cursors, { context, cursor, limit, by: 'active_at' }),
      matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { ...listed, total: Number(counted.total), baseUrl: deps.baseUrl }
  },
  http: { method: 'GET', path: '/api/v1/discover', output: discovered, view: (found) => view(found) },
  tool: {
    title: 'Find public presentations',
    description:
      'Finds public Rostrum presentations that anyone may join now. Use this when a person looks for a talk on a topic. Needs no key. Next: open joinUrl, or ask the presenter with pap_query_presenter.',
    output: discovered,
    view: (found) => view(found),
  },
})
