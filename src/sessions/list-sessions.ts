// Lists the account's sessions, newest first, by cursor (spec 4.1, 4.5 `list_sessions`).
import { pageOf } from '../platform/cursor.ts'
import { z } from 'zod'
import { countLimit } from '../contract/fields.ts'
import { iso } from '../platform/clock.ts'
import { type Call, operation, reads, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { LivePort, SessionsDeps } from './ports.ts'
import type { Session } from './session.ts'
import { coverUrl, roomUrl, sessionRecord, toRecord } from './session-view.ts'

const input = z.object({
  limit: countLimit(100).describe('How many to return, 1 to 100.'),
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  status: z.enum(['draft', 'published']).optional().describe('Only sessions of this status.'),
})

interface Listed {
  rows: readonly (Session & { cover: string | null })[]
  live: Awaited<ReturnType<LivePort['now']>>
  nextCursor?: string
  baseUrl: string
  mediaBase: string
}

async function list({ limit, cursor, status }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps): Promise<Listed> {
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
  if (cursor !== undefined) {
    const { at, id } = deps.cursors.open(context, cursor)
    query = query.where((row) => row.or([row('created_at', '<', at), row.and([row('created_at', '=', at), row('id', '<', id)])]))
  }
  const found = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = pageOf(found, limit, (last) => deps.cursors.seal(context, { at: last.created_at, id: last.id }))
  return { ...page, live: await deps.live.now(page.rows.map((row) => row.id)), baseUrl: deps.baseUrl, mediaBase: deps.mediaBase }
}

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
  area: 'sessions',
  summary: 'List sessions',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: [],
  input,
  run: list,
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
