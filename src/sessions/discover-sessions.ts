// Lists live, publicly discoverable sessions to anybody (spec 2.7, 4.5 `discover_sessions`). No owner data.
import { pageOf } from '../platform/cursor.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { countLimit, text } from '../contract/fields.ts'
import { settingOf } from '../contract/session.ts'
import { type Call, open, operation, reads } from '../platform/operation.ts'
import type { SessionsDeps } from './ports.ts'
import { isVouched, type Session } from './session.ts'
import { roomUrl } from './session-view.ts'

const input = z.object({
  limit: countLimit(50).describe('How many to return, 1 to 50.'),
  query: text(200).optional().describe('Only sessions whose title or description contains this text.'),
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
})

interface Discovered {
  rows: readonly Session[]
  total: number
  nextCursor?: string
  baseUrl: string
}

const escapeLike = (query: string) => query.toLowerCase().replace(/[%_\\]/g, (character) => `\\${character}`)

async function discover({ limit, query, cursor }: z.output<typeof input>, _: Call, deps: SessionsDeps): Promise<Discovered> {
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
  let page = matching.selectAll()
  if (cursor !== undefined) {
    const { at, id } = deps.cursors.open(context, cursor)
    page = page.where((row) => row.or([row('active_at', '<', at), row.and([row('active_at', '=', at), row('id', '<', id)])]))
  }
  const [found, counted] = await Promise.all([
    page
      .orderBy('active_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute(),
    matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  const listed = pageOf(found, limit, (last) => deps.cursors.seal(context, { at: last.active_at, id: last.id }))
  return { ...listed, total: Number(counted.total), baseUrl: deps.baseUrl }
}

const session = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  joinUrl: z.string(),
  tags: z.array(z.string()),
})

const output = z.object({ sessions: z.array(session), total: z.number().optional(), nextCursor: z.string().optional() })

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
  area: 'sessions',
  summary: 'Find public sessions',
  description:
    'Published sessions whose host lists them publicly, the most recently active first; none of an agent that nobody has claimed. Needs no credential.',
  access: open,
  effects: reads,
  limit: 'discovery',
  errors: [],
  input,
  run: discover,
  http: { method: 'GET', path: '/api/v1/discover', output, view },
  tool: {
    title: 'Find public presentations',
    description:
      'Finds public Rostrum presentations that anyone may join now. Use this when a person looks for a talk on a topic. Needs no key. Next: open joinUrl, or ask the presenter with pap_query_presenter.',
    output,
    view,
  },
})
