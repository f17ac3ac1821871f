// The narration of a session as it will be spoken (`GET .../script`): one sentence a beat, with sources and times.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { sessionId } from '../sessions/fields.ts'
import { ownSession } from '../sessions/session.ts'
import type { EditedBeat } from './beat-edits.ts'
import type { DecksDeps } from './deps.ts'
import type { Writing } from './script-writing.ts'
import { writingView } from './script-writing.ts'
import type { StoredScript } from './scripts.ts'

export const beatView = z.object({
  beatId: z.string(),
  slideId: z.string(),
  slideIndex: z.number(),
  index: z.number(),
  kind: z.string(),
  text: z.string(),
  sources: z.array(
    z.object({
      type: z.enum(['slide', 'knowledge']),
      id: z.string(),
      index: z.number(),
      spans: z
        .array(z.array(z.number()))
        .optional()
        .describe('Of a slide: pairs of offsets in its `textContent`, of the words that the sentence rests on.'),
    }),
  ),
  region: z
    .array(z.array(z.number()))
    .optional()
    .describe('Where they stand on the slide: x, y, width and height in fractions of the picture.'),
  estMs: z.number(),
  pauseMs: z.number(),
  clauses: z.array(z.number()),
  editedAt: z.string().optional(),
  author: z.enum(['host', 'model']).optional(),
})

export function showBeat(beat: EditedBeat): z.output<typeof beatView> {
  const { beatId, slideId, slideIndex, index, kind, text, estMs, pauseMs, region, editedAt, author } = beat
  const edited = editedAt === undefined ? {} : { editedAt: new Date(editedAt).toISOString(), author: author ?? 'host' }
  return {
    beatId,
    slideId,
    slideIndex,
    index,
    kind,
    text,
    sources: beat.sources.map(({ spans, ...source }) => ({ ...source, ...(spans && { spans: spans.map((span) => [...span]) }) })),
    ...(region && { region: region.map((box) => [...box]) }),
    estMs,
    pauseMs,
    clauses: [...beat.clauses],
    ...edited,
  }
}

const scriptView = z.object({
  deckId: z.string().nullable(),
  language: z.string(),
  totalMs: z.number(),
  droppedBeats: z.number(),
  warnings: z.array(z.string()),
  compiledAt: z.string(),
  beats: z.array(beatView),
  writing: writingView,
})

const input = z.object({ sessionId })

async function get(
  wanted: z.output<typeof input>,
  call: Call<AccountPrincipal>,
  deps: DecksDeps,
): Promise<StoredScript & { writing: Writing }> {
  const session = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const script = await deps.scripts.find(session.id)
  if (script === null) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
  return { ...script, writing: deps.writing.of(session.id) }
}

export const getScript = operation({
  name: 'get_script',
  area: 'decks',
  summary: 'Show the script of a session',
  description:
    'What the presenter will say, one sentence a beat. Private notes shape it and are never in it, but for the text of `[ask: ...]`.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/script',
    output: scriptView,
    view: ({ deckId, language, totalMs, droppedBeats, warnings, compiledAt, beats, writing }) => ({
      deckId,
      language,
      totalMs,
      droppedBeats,
      warnings: [...warnings],
      compiledAt: new Date(compiledAt).toISOString(),
      beats: beats.map(showBeat),
      writing,
    }),
  },
})
