// What the owner sees of a script: its beats as the room is told them, and the same talk as a document, slide by slide, with what a lint
// finds in it (docs/decisions/023).
import { z } from 'zod'
import { placeOnSlide } from '@rostrum/contract/deck'
import { pollSpec } from '@rostrum/contract/poll'
import { stepByStep } from '@rostrum/base/work'
import type { EditedBeat } from './beat-edits.ts'
import type { ScriptSlide } from '@rostrum/telling/beat'
import { forLint } from '@rostrum/telling/directives'
import { type Finding, lintCodes, lintInSteps } from '@rostrum/telling/lint'
import { isFixed, isSilent, isWritable, told } from './script-document.ts'
import type { Scripts, StoredScript } from './scripts.ts'

const { seconds: _, ...pollShape } = pollSpec.shape

const sourceView = z.object({
  type: z.enum(['slide', 'knowledge']),
  id: z.string(),
  index: z.number(),
  spans: placeOnSlide.spans.describe('Of a slide: pairs of offsets in its `textContent`, of the words that the sentence rests on.'),
})

export const beatView = z.object({
  beatId: z.string(),
  slideId: z.string(),
  slideIndex: z.number(),
  index: z.number(),
  kind: z.string(),
  text: z.string().describe('Empty: the slide is shown in silence.'),
  sources: z.array(sourceView),
  region: placeOnSlide.region,
  estMs: z.number(),
  pauseMs: z.number(),
  clauses: z.array(z.number()),
  poll: z
    .object({ pollId: z.string(), ...pollShape })
    .optional()
    .describe('The room is asked this when the sentence is said.'),
  editedAt: z.string().optional(),
})

export function showBeat(beat: EditedBeat): z.output<typeof beatView> {
  const { beatId, slideId, slideIndex, index, kind, text, estMs, pauseMs, region, poll, editedAt } = beat
  return {
    beatId,
    slideId,
    slideIndex,
    index,
    kind,
    text,
    sources: [...beat.sources],
    ...(region && { region }),
    estMs,
    pauseMs,
    clauses: [...beat.clauses],
    ...(poll && { poll: { ...poll } }),
    ...(editedAt !== undefined && { editedAt: new Date(editedAt).toISOString() }),
  }
}

const sentenceView = z.object({
  beatId: z.string(),
  text: z.string(),
  sources: z.array(sourceView),
  from: z.enum(['rules', 'host']).describe('Who put it so: compiled from the slide and the background, or written for the presenter.'),
  fixed: z
    .literal(true)
    .optional()
    .describe('Opening, closing, offer, or a question of the private notes: it keeps its place, and may be said in other words.'),
  opening: z.literal(true).optional().describe('Said before the others of its slide.'),
  pollId: z.string().optional().describe('The room is asked: `poll` of its beat says what.'),
})

const slideView = z.object({
  slideId: z.string(),
  index: z.number(),
  title: z.string(),
  seconds: z.number().describe('What it takes with its pauses.'),
  silent: z.literal(true).optional().describe('It is shown, and nothing is said.'),
  skipped: z.literal(true).optional().describe('Its notes say `[skip]`: it is not shown.'),
  written: z.literal(true).optional().describe("Its text is somebody's own; absent where it is compiled."),
  sentences: z.array(sentenceView),
})

export const findingView = z.object({
  code: z.enum(lintCodes),
  slideIndex: z.number(),
  beatId: z.string().optional(),
  text: z.string().optional(),
  detail: z.string(),
  fix: z
    .string()
    .nullable()
    .optional()
    .describe('What may be said instead, a sentence a line; null: it may be left out. Absent where nothing is safe.'),
})

export const scriptView = z.object({
  deckId: z.string().nullable(),
  language: z.string(),
  totalMs: z.number(),
  targetSeconds: z.number().optional(),
  droppedBeats: z.number(),
  warnings: z.array(z.string()),
  compiledAt: z.string(),
  slides: z.array(slideView).describe('The talk as a document: what `PUT` takes.'),
  findings: z.array(findingView).describe('What a listener would stumble over.'),
  beats: z.array(beatView),
  hasModel: z.boolean().describe('Whether a model is there to propose better words (`POST .../script/proposals`).'),
})

export interface ScriptDocument {
  script: StoredScript
  slides: readonly ScriptSlide[]
  targetSeconds: number | undefined
  findings: readonly Finding[]
  hasModel: boolean
}

export interface ReadScriptDeps {
  scripts: Pick<Scripts, 'find' | 'source'>
  /** Null: no model is configured. */
  writer: object | null
}

export async function readScript(deps: ReadScriptDeps, sessionId: string, known?: StoredScript): Promise<ScriptDocument | null> {
  const script = known ?? (await deps.scripts.find(sessionId))
  const source = await deps.scripts.source(sessionId)
  if (script === null || source === null) return null
  const { slides, language, passages, targetSeconds } = source.input
  const findings = await stepByStep(lintInSteps({ language, slides: forLint(slides), beats: script.beats, ...(passages && { passages }) }))
  return { script, slides, targetSeconds, findings, hasModel: deps.writer !== null }
}

function showSlide(slide: ScriptSlide, beats: readonly EditedBeat[]): z.output<typeof slideView> {
  const ms = beats.reduce((sum, { estMs, pauseMs, waitMs = 0 }) => sum + estMs + pauseMs + waitMs, 0)
  return {
    slideId: slide.id,
    index: slide.index,
    title: slide.title,
    seconds: Math.round(ms / 100) / 10,
    ...(isSilent(beats) && { silent: true as const }),
    // Every slide that is shown has a beat.
    ...(beats.length === 0 && { skipped: true as const }),
    ...((slide.narration !== undefined || told(beats).some(({ editedAt }) => editedAt !== undefined)) && { written: true as const }),
    sentences: beats.filter(isWritable).map((beat) => ({
      beatId: beat.beatId,
      text: beat.text,
      sources: [...beat.sources],
      from: beat.isAuthored === true || beat.editedAt !== undefined ? 'host' : 'rules',
      ...(isFixed(beat) && { fixed: true as const }),
      ...(beat.kind === 'opening' && { opening: true as const }),
      ...(beat.poll && { pollId: beat.poll.pollId }),
    })),
  }
}

export function showScript({ script, slides, targetSeconds, findings, hasModel }: ScriptDocument): z.output<typeof scriptView> {
  const { deckId, language, totalMs, droppedBeats, warnings, compiledAt, beats } = script
  const beatsOf = Map.groupBy(beats, ({ slideId }) => slideId)
  return {
    deckId,
    language,
    totalMs,
    ...(targetSeconds !== undefined && { targetSeconds }),
    droppedBeats,
    warnings: [...warnings],
    compiledAt: new Date(compiledAt).toISOString(),
    slides: slides.map((slide) => showSlide(slide, beatsOf.get(slide.id) ?? [])),
    findings: findings.map((finding) => ({ ...finding })),
    beats: beats.map(showBeat),
    hasModel,
  }
}
