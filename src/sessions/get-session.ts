// Shows one session with its settings (spec 2.4, 4.5 `get_session`).
import { z } from 'zod'
import { iso } from '../platform/clock.ts'
import { type Call, operation, reads, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import { sessionId } from '../contract/session.ts'
import type { SessionsDeps, ShownSlide } from './ports.ts'
import { ownShown, type ShownRow } from './session.ts'
import { type LiveNow, rehearsalUrl, roomUrl, sessionSettings, toSettings } from './session-view.ts'

const input = z.object({ sessionId })

export interface Shown {
  row: ShownRow
  baseUrl: string
  mediaBase: string
  live?: LiveNow
  /** Read when a view asks: only tools show them. */
  slides(): Promise<readonly ShownSlide[]>
}

/** The session as it stands, for every act that answers with the whole record. */
export async function show(
  accountId: string,
  sessionId: string,
  { store, baseUrl, mediaBase, content, live }: SessionsDeps,
  read: Reader = store.read,
): Promise<Shown> {
  const row = await ownShown(read, accountId, sessionId)
  const shown = { row, baseUrl, mediaBase, slides: () => content.slides(store.read, row.id) }
  if (row.visited_run === null) return shown
  const here = (await live.now([row.id])).get(row.id)
  return here === undefined ? shown : { ...shown, live: here }
}

export const settingsView = ({ row, live, ...bases }: Shown) => toSettings(row, bases, live)

async function get(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps): Promise<Shown> {
  return show(call.principal.accountId, wanted.sessionId, deps)
}

const slide = z.object({ index: z.number(), title: z.string(), imageUrl: z.string().optional() })

export const getSession = operation({
  name: 'get_session',
  area: 'sessions',
  summary: 'Show a session',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}', output: sessionSettings, view: settingsView },
  tool: {
    title: 'Show a presentation',
    description:
      'Shows one of your Rostrum presentations: status, slides, deck progress, call to action and links. Use this when you have its id, or to see whether a PDF was read (deckState). Private agentNotes are not included. Next: share roomUrl, or rehearse at rehearsalUrl.',
    output: z.object({
      id: z.string(),
      title: z.string(),
      status: z.string(),
      description: z.string().optional(),
      slidesCount: z.number().optional(),
      roomUrl: z.string().optional(),
      isLive: z.boolean().optional(),
      mode: z.string().optional(),
      slug: z.string().optional(),
      rehearsalUrl: z.string().optional(),
      createdAt: z.string().optional(),
      deckState: z.string().optional(),
      slides: z.array(slide).optional(),
      cta: z.object({ text: z.string().optional(), url: z.string().optional() }).optional(),
    }),
    view: async ({ row, baseUrl, slides }) => ({
      id: row.id,
      title: row.title,
      status: row.status,
      description: row.description ?? undefined,
      slidesCount: row.slides_count,
      roomUrl: roomUrl(baseUrl, row.slug),
      isLive: row.status === 'published',
      mode: row.mode,
      slug: row.slug,
      rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
      createdAt: iso(row.created_at),
      deckState: row.deck_state ?? 'none',
      slides: (await slides()).map(({ index, title, imageUrl }) => ({ index, title, imageUrl: imageUrl ?? undefined })),
      cta: row.cta_url === null ? undefined : { text: row.cta_text ?? undefined, url: row.cta_url },
    }),
    ui: 'sessions/preview',
  },
})
