// The whole script at once: read as it will be spoken (`GET .../script`), written as a document (`PUT`), looked at while it is being
// written (`POST .../script/lint`), mended where that is safe (`POST .../script/mend`).
import { z } from 'zod'
import { limits, words } from '@rostrum/contract/fields'
import { sessionId } from '@rostrum/contract/session'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, changes, operation, reads, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { stepByStep } from '@rostrum/base/work'
import { ownSession } from '../sessions/session.ts'
import type { Store } from '../platform/db/store.ts'
import type { EditedBeat } from './beat-edits.ts'
import type { Scripts } from './scripts.ts'
import type { ScriptInput } from '@rostrum/telling/beat'
import { forLint } from '@rostrum/telling/directives'
import { type Finding, type LintBeat, lintCodes, lintInSteps } from '@rostrum/telling/lint'
import { estimateMs } from '@rostrum/telling/spoken-words'
import {
  findVersion,
  listVersions,
  type Making,
  replaceScript,
  type ReplaceScriptDeps,
  scriptTag,
  type VersionReason,
} from './replace-script.ts'
import { documentOf, isFixed, type PresentScript, restored, rewritten, type WantedSlide } from './script-document.ts'
import { findingView, readScript, type ReadScriptDeps, type ScriptDocument, scriptView, showScript } from './script-view.ts'

const sentencesMost = 120

const sentence = z.object({
  beatId: z
    .string()
    .min(1)
    .max(200)
    .describe('Of the present sentence that this one is: it keeps its sources in other words too.')
    .optional(),
  text: words(limits.narration).describe('Said as it is written.'),
  sources: z
    .array(z.object({ type: z.enum(['slide', 'knowledge']), id: z.string().max(100) }))
    .max(10)
    .describe('What it rests on. Default: what it rested on before; of a new sentence, its slide.')
    .optional(),
})

const ifMatch = z.string().max(1_000).describe('The `ETag` of the script that was read; 412 where it has changed.').optional()

const putInput = z.object({
  sessionId,
  ifMatch,
  slides: z
    .array(
      z.object({
        slideId: z.uuid().describe('Each slide of the deck once, in the order in which they are shown.'),
        silent: z.boolean().describe('Shown, and nothing is said.').optional(),
        sentences: z
          .array(sentence)
          .max(sentencesMost)
          .describe('In order. Absent: told as it is compiled; empty: nothing is said.')
          .optional(),
      }),
    )
    .min(1)
    .max(limits.slides),
})

const mendInput = z.object({
  sessionId,
  ifMatch,
  codes: z.array(z.enum(lintCodes)).max(lintCodes.length).describe('Only findings of these kinds.').optional(),
})

const lintInput = z.object({
  sessionId,
  slides: z
    .array(
      z.object({
        slideId: z.uuid().describe('A slide of the deck, in the order in which they are shown.'),
        sentences: z.array(words(limits.narration)).max(sentencesMost),
      }),
    )
    .max(limits.slides),
})

/** A sentence that is there already is looked at as the one it is: an opening is no half. */
async function lint(
  wanted: z.output<typeof lintInput>,
  call: Call<AccountPrincipal>,
  { store, scripts }: { store: Store; scripts: Pick<Scripts, 'find' | 'source' | 'pace'> },
): Promise<Finding[]> {
  const { id } = await ownSession(store.read, call.principal.accountId, wanted.sessionId)
  const [script, source] = [await scripts.find(id), await scripts.source(id)]
  if (script === null || source === null) return []
  return stepByStep(lintDraftInSteps(wanted.slides, script.beats, source.input, scripts.pace.wpm))
}

const sentencesAtOnce = 10

function* lintDraftInSteps(
  wanted: z.output<typeof lintInput>['slides'],
  present: readonly EditedBeat[],
  { language, slides, passages = [] }: ScriptInput,
  wpm: number,
): Generator<undefined, Finding[]> {
  const known = new Map(present.map((beat) => [`${beat.slideId} ${beat.text}`, beat]))
  const places = new Map(slides.map((slide) => [slide.id, slide.index]))
  const beats: LintBeat[] = []
  for (const { slideId, sentences } of wanted) {
    const slideIndex = places.get(slideId.toLowerCase())
    if (slideIndex === undefined) continue
    for (const [at, text] of sentences.entries()) {
      if (at % sentencesAtOnce === 0) yield
      const { kind, waitMs } = known.get(`${slideId} ${text}`) ?? { kind: 'narration' as const, waitMs: undefined }
      const estMs = estimateMs(text, language, wpm)
      beats.push({ beatId: `${slideId}.${at}`, slideIndex, kind, text, estMs, ...(waitMs !== undefined && { waitMs }) })
    }
  }
  return yield* lintInSteps({ language, slides: forLint(slides), passages, beats })
}

interface ChangeScriptDeps extends ReplaceScriptDeps {
  /** Null: no model is configured. */
  writer: object | null
}

/** Writes, and answers what is there then. */
async function writeDocument<Prepared>(
  { wanted, reason }: { wanted: { sessionId: string; ifMatch?: string | undefined }; reason: VersionReason },
  making: Making<Prepared>,
  call: Call<AccountPrincipal>,
  deps: ChangeScriptDeps,
): Promise<ScriptDocument> {
  const where = { ...wanted, accountId: call.principal.accountId, now: call.now, reason }
  const script = await replaceScript(where, making, deps)
  const found = await readScript(deps, wanted.sessionId.toLowerCase(), script)
  if (found === null) throw new Error('The session has gone meanwhile.')
  return found
}

/** Nothing is to be made ready. */
const atOnce = async (): Promise<undefined> => undefined

function put(wanted: z.output<typeof putInput>, call: Call<AccountPrincipal>, deps: ChangeScriptDeps): Promise<ScriptDocument> {
  const make = (present: PresentScript) => rewritten(wanted.slides, present)
  return writeDocument({ wanted, reason: 'saved' }, { prepare: atOnce, make }, call, deps)
}

/** Each safe fix in its place; a slide is never left without a sentence by them. */
function mended(document: ReturnType<typeof documentOf>, findings: readonly Finding[]): WantedSlide[] {
  const fixes = new Map(
    findings.flatMap(({ beatId, fix }): [string, string | null][] => (beatId === undefined || fix === undefined ? [] : [[beatId, fix]])),
  )
  return document.map(({ sentences, ...slide }) => {
    const free = sentences.filter((beat) => !isFixed(beat))
    const isEmptied = free.length > 0 && free.every(({ beatId }) => fixes.get(beatId) === null)
    const after = sentences.flatMap(({ beatId, text }) => {
      const fix = isEmptied ? undefined : fixes.get(beatId)
      return fix === null ? [] : (fix ?? text).split('\n').map((line) => ({ beatId, text: line }))
    })
    return { ...slide, sentences: after }
  })
}

function mend(wanted: z.output<typeof mendInput>, call: Call<AccountPrincipal>, deps: ChangeScriptDeps): Promise<ScriptDocument> {
  const prepare: Making<Finding[]>['prepare'] = async ({ beats }, { input: { language, slides, passages = [] } }) => {
    const found = await stepByStep(lintInSteps({ language, slides: forLint(slides), passages, beats }))
    return wanted.codes === undefined ? found : found.filter(({ code }) => wanted.codes?.includes(code))
  }
  const make = (present: PresentScript, found: Finding[]) => rewritten(mended(documentOf(present), found), present)
  return writeDocument({ wanted, reason: 'mended' }, { prepare, make }, call, deps)
}

const shownScript = {
  output: scriptView,
  view: showScript,
  headers: ({ script }: ScriptDocument) => ({ ETag: scriptTag(script.revision) }),
  headerMembers: { 'if-match': 'ifMatch' },
}

const isOwn = ({ sessionId: id }: { sessionId: string }, { principal }: Call<AccountPrincipal>, { store }: { store: Store }) =>
  ownSession(store.read, principal.accountId, id)

/** As many slides of as many words as a deck may have. */
const bodyMax = 8 * 1_048_576

export const putScript = operation({
  name: 'put_script',
  summary: 'Write the script as a document',
  description:
    'Replaces the talk: the sentences of each slide, in order. Sentences that are left as they are keep their sources; what is written is said as it stands. Opening, closing, offer and questions of private notes keep their place, whether they are sent or not, and take other words. Makes the next version of the deck and a version of the script.',
  access: scoped('sessions:write'),
  errors: ['conflict', 'precondition_failed'],
  input: putInput,
  before: isOwn,
  run: put,
  http: { method: 'PUT', path: '/api/v1/agent/sessions/{sessionId}/script', bodyMax, ...shownScript },
})

export const lintDraft = operation({
  name: 'lint_script',
  summary: 'Look at a script that is being written',
  description:
    'What a listener would stumble over in these sentences, before they are kept: the same findings that the script answers once they are. Send every slide: what is said twice, or nowhere, is seen on the whole. `slideIndex` is the place of the slide in the deck.',
  access: scoped('sessions:read'),
  effects: reads,
  input: lintInput,
  before: isOwn,
  run: lint,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/script/lint',
    bodyMax,
    output: z.object({ findings: z.array(findingView.omit({ beatId: true })) }),
    view: (findings) => ({ findings: findings.map(({ beatId: _beatId, ...finding }) => finding) }),
  },
})

export const mendScript = operation({
  name: 'mend_script',
  summary: 'Mend the script where it is safe',
  description:
    'Does to each finding that has a `fix` what it says: sentences that nobody misses are left out, long ones are parted. A slide keeps at least one sentence.',
  access: scoped('sessions:write'),
  effects: changes,
  errors: ['conflict', 'precondition_failed'],
  input: mendInput,
  run: mend,
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/script/mend', ...shownScript },
})

// The narration of a session as it will be spoken (`GET .../script`): a document of slides and sentences, and one beat a sentence with
// sources and times.

const input = z.object({ sessionId })

async function get(
  wanted: z.output<typeof input>,
  call: Call<AccountPrincipal>,
  deps: { store: Store } & ReadScriptDeps,
): Promise<ScriptDocument> {
  const session = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const found = await readScript(deps, session.id)
  if (found === null) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
  return found
}

export const getScript = operation({
  name: 'get_script',
  summary: 'Show the script of a session',
  description:
    'What the presenter will say, as a document of slides and sentences and one sentence a beat, with what a listener would stumble over. Send its `ETag` as `If-Match` with a change. Private notes shape it and are never in it, but for the text of `[ask: ...]`.',
  access: scoped('sessions:read'),
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/script',
    output: scriptView,
    view: showScript,
    headers: ({ script }) => ({ ETag: scriptTag(script.revision) }),
  },
})

// Versions of a script: listed, and brought back (`GET .../script/versions`, `POST .../script/versions/{version}/restore`).

async function list(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: { store: Store }) {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  return listVersions(deps.store.read, id)
}

export const listScriptVersions = operation({
  name: 'list_script_versions',
  summary: 'List the versions of a script',
  description: 'Newest first; the last 50 are kept. Each save of the script as a document is one, and what stood there before the first.',
  access: scoped('sessions:read'),
  input,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/script/versions',
    output: z.object({
      versions: z.array(
        z.object({
          version: z.number(),
          reason: z.enum(['before', 'saved', 'mended', 'restored']).describe('`before`: as it stood when something else had changed it.'),
          changedSlides: z.number(),
          savedAt: z.string(),
        }),
      ),
    }),
    view: (rows) => ({
      versions: rows.map(({ version, reason, changed, saved_at }) => ({
        version,
        reason,
        changedSlides: changed,
        savedAt: new Date(saved_at).toISOString(),
      })),
    }),
  },
})

const restoreInput = input.extend({
  version: z.number().multipleOf(1).min(1).max(1_000_000_000).describe('Of the list.'),
  ifMatch: z.string().max(1_000).describe('The `ETag` of the script that was read; 412 where it has changed.').optional(),
})

function restore(
  { version, ...wanted }: z.output<typeof restoreInput>,
  call: Call<AccountPrincipal>,
  deps: ChangeScriptDeps,
): Promise<ScriptDocument> {
  return writeDocument(
    { wanted, reason: 'restored' },
    {
      prepare: atOnce,
      async make(present, _nothing, tx) {
        const earlier = await findVersion(tx, wanted.sessionId.toLowerCase(), version)
        if (earlier === undefined)
          throw new ServiceError('not_found', 'There is no such version of the script. List them to see their numbers.')
        return restored(earlier, present)
      },
    },
    call,
    deps,
  )
}

export const restoreScript = operation({
  name: 'restore_script',
  summary: 'Bring a version of the script back',
  description:
    'What was written for each slide then is said again; slides that came later stay as they are. The present text stays among the versions.',
  access: scoped('sessions:write'),
  effects: changes,
  errors: ['conflict', 'precondition_failed'],
  input: restoreInput,
  run: restore,
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/script/versions/{version}/restore', ...shownScript },
})
