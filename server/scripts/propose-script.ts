// Has a model put the sentences of one slide into better words, ahead of the talk, for its host to take or leave (`POST
// .../script/proposals`). Nothing is stored: what is taken is part of the document that is saved, and while a talk is given no model is
// called for it.
import { z } from 'zod'
import { uuid } from '@rostrum/contract/fields'
import { sessionId } from '@rostrum/contract/session'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import { type Call, changes, operation, scoped } from '../platform/operation.ts'
import type { Store } from '../platform/db/store.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { isSessionVouched, ownSession } from '../sessions/session.ts'
import type { ScriptSlide } from '@rostrum/telling/beat'
import { told } from './script-document.ts'
import type { Scripts } from './scripts.ts'

const tones = ['plain', 'friendly', 'lively'] as const

export interface WriteRequest {
  sessionId: string
  deckId: string | null
  title: string
  language: string
  slide: ScriptSlide
  /** Titles of the neighbours. */
  before: string
  after: string
  /** What is said now, in order. */
  sentences: readonly string[]
  tone?: (typeof tones)[number] | undefined
}

/** Rewrites sentences of one slide; each stands at its place. One that cannot be shown to be public text in other words is left out. */
export interface ScriptWriter {
  write(request: WriteRequest, signal: AbortSignal): Promise<{ place: number; text: string }[]>
}

interface ProposeDeps {
  store: Store
  scripts: Pick<Scripts, 'find' | 'source'>
  /** Puts sentences into better words; null: no model is configured. */
  writer: ScriptWriter | null
  warn(words: string, error: unknown): void
}

const input = z.object({
  sessionId,
  slideId: uuid.describe('Of which slide.'),
  withNotes: z.boolean().default(true).describe('Whether the model reads the private notes of the slide too, as guidance for the tone.'),
  tone: z.enum(tones).describe('How it is to sound.').optional(),
})

async function propose({ slideId, withNotes, tone, ...wanted }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: ProposeDeps) {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  if (!(await isSessionVouched(deps.store.read, id)))
    throw new ServiceError('forbidden', 'A model writes for agents that a person has claimed: show your person claim_uri.')
  const [script, source] = [await deps.scripts.find(id), await deps.scripts.source(id)]
  const { title, language, slides } = source?.input ?? { title: '', language: '', slides: [] }
  const at = slides.findIndex((slide) => slide.id === slideId)
  const slide = slides[at]
  if (script === null || source === null || slide === undefined)
    throw new ServiceError('not_found', 'There is no such slide in the present deck. `GET .../deck` shows their ids.')
  const { writer, warn } = deps
  if (writer === null)
    throw new ServiceError('conflict', 'No language model is configured here. Set ROSTRUM_LLM, or write the sentences yourself.')
  const beats = told(script.beats.filter((beat) => beat.slideId === slideId))
  if (beats.length === 0) return []
  const { agentNotes: _, ...shown } = slide
  const sentences = beats.map(({ text }) => text)
  const [before, after] = [slides[at - 1]?.title ?? '', slides[at + 1]?.title ?? '']
  const request = {
    sessionId: id,
    deckId: source.deckId,
    title,
    language,
    slide: withNotes ? slide : shown,
    before,
    after,
    sentences,
    tone,
  }
  const found = await writer.write(request, call.signal).catch((error: unknown) => {
    if (isServiceError(error)) throw error
    warn(`No words were proposed for a slide of session ${id}.`, error)
    throw new ServiceError('temporarily_unavailable', 'The model did not answer. Try again in a moment.')
  })
  return found
    .toSorted((a, b) => a.place - b.place)
    .flatMap(({ place, text }) => {
      const beat = beats[place]
      return beat === undefined || beat.text === text ? [] : [{ beatId: beat.beatId, was: beat.text, text }]
    })
}

export const proposeScript = operation({
  name: 'propose_script',
  summary: 'Have a model propose better words for a slide',
  description:
    'One call of the model. Each proposal is checked against the slide, as everything that a model writes; sentences that it would leave, or that do not pass, have none. Nothing is stored: send what you take with `PUT .../script`.',
  access: scoped('sessions:write'),
  effects: { ...changes, idempotent: false },
  errors: ['forbidden', 'conflict', 'quota_exceeded', 'temporarily_unavailable'],
  input,
  run: propose,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/script/proposals',
    output: z.object({
      proposals: z.array(z.object({ beatId: z.string(), was: z.string(), text: z.string().describe('What may be said instead.') })),
    }),
    view: (proposals) => ({ proposals }),
  },
})
