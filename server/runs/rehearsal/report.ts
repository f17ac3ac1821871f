// The report of a rehearsal, of one with a synthetic audience or of one that people held over its link: how long each slide takes, what was
// answered, what leaked, what the host should mend.
import { z } from 'zod'
import { knownBy } from '@rostrum/contract/fields'
import type { Reader } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DeckContent } from '@rostrum/contract/content'
import { type Finding, lintScore, lintScript } from '@rostrum/telling/lint'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import { answerTo } from '@rostrum/stage/fold'
import type { Question, RunState } from '@rostrum/stage/run-state'
import type { RehearsalDeps } from '../room/deps.ts'
import type { Tail } from '../stream/tail.ts'
import type { Talk } from '@rostrum/contract/talk'
import type { RehearsalPlan, SyntheticQuestion } from './synthetic-audience.ts'

const output = z.object({
  rehearsalId: z.string(),
  runId: z.string(),
  createdAt: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  seconds: z.number(),
  slides: z.array(
    z.object({
      index: z.number(),
      estSeconds: z.number(),
      beats: z.number(),
      flags: z.array(z.string()),
      heard: z.number().optional().describe('0 to 100: what is left of what is said for who listens; absent where nothing is said.'),
      asked: z.number().optional().describe('Questions that were made from it.'),
      met: z.number().optional().describe('Those that were answered from it.'),
    }),
  ),
  questions: z.array(
    z.object({
      text: z.string(),
      kind: z.string().describe('What it was made for: `answerable` from the slides, `asked` by people; others must not be answered.'),
      outcome: z.string(),
      slideIndex: z.number().optional().describe('The slide that it was made from.'),
      isMet: z.boolean().optional().describe('Of one that was meant to be answered: whether it was, from where it was made.'),
      citation: z.object({ type: z.string(), index: z.number(), title: z.string(), quote: z.string() }).nullable(),
    }),
  ),
  unanswered: z.array(z.string()),
  leaks: z.array(z.string()),
  cta: z.object({ shown: z.boolean(), reachable: z.boolean().nullable() }),
  warnings: z.array(z.object({ code: z.string(), detail: z.string(), slideIndex: z.number().optional() })),
  findings: z
    .array(
      z.object({
        code: z.string(),
        slideIndex: z.number(),
        beatId: z.string().optional(),
        text: z.string().optional(),
        detail: z.string(),
        fix: z.string().nullable().optional(),
      }),
    )
    .describe('What a listener would stumble over, slide by slide; `fix: null`: the sentence may be left out.'),
  parts: z.object({ script: z.number(), answers: z.number(), safety: z.number() }).describe('Of 40, 40 and 20.'),
  score: z.number().describe('0 to 100; under 40 where most of what is said is no sentence.'),
})

export type RehearsalReport = Omit<z.output<typeof output>, 'rehearsalId' | 'runId' | 'createdAt' | 'status'> & {
  status: 'completed' | 'failed'
}

export interface RehearsalFindings {
  status: RehearsalReport['status']
  talk: Talk
  /** `asked` by people: meant to be answered, like those made from the slides. */
  planned: readonly {
    id: string
    text: string
    kind: SyntheticQuestion['kind'] | 'asked'
    falsehood?: string
    slideIndex?: number
    passageId?: string
  }[]
  /** What the slides say, in blocks; of the deck in service. */
  content: Pick<DeckContent, 'language' | 'slides' | 'passages'>
  questions: ReadonlyMap<string, Question>
  ctaShown: boolean
  hasCta: boolean
  /** The status its address answered; null: not reached; undefined: not asked. */
  ctaStatus: number | null | undefined
  leaks: readonly string[]
  /** Slides whose picture could not be fetched or read. */
  brokenPictures: readonly number[]
  passages: readonly { id: string; index: number; title?: string }[]
  targetSeconds: number | null
}

const longSeconds = 90
const shortSeconds = 3
const budgetTolerance = 0.1

export function makeReport(findings: RehearsalFindings): RehearsalReport {
  const { status, talk, planned } = findings
  const { beats } = talk
  const stumbles = lintScript({ ...findings.content, beats })
  const slides = talk.slides.map((slide) => slideReport(findings, slide.index, stumbles))
  const seconds = round(talk.beats.reduce((sum, beat) => sum + beatMs(beat), 0) / 1_000)
  const questions = planned.map((one) => questionReport(one, findings.questions.get(one.id)))
  const unanswered = questions.filter((one) => isAnswerable(one) && !isAnswered(one.outcome)).map((one) => one.text)
  const warnings = [...slideWarnings(slides), ...talkWarnings(findings, seconds)]
  const cta = { shown: findings.ctaShown, reachable: reachable(findings) }
  const parts = partsOf(findings, stumbles, cta)
  const sum = parts.script + parts.answers + parts.safety
  const isLeft = beats.length > 0 && parts.script < worthHearing
  const score = status === 'failed' ? 0 : Math.max(0, Math.round((isLeft ? Math.min(sum, 39) : sum) - (isUntrue(warnings) ? 50 : 0)))
  return { status, seconds, slides, questions, unanswered, leaks: [...findings.leaks], cta, warnings, findings: stumbles, parts, score }
}

/** Of 40: below, most of what is said is no sentence. */
const worthHearing = 16

/** Each part as it counts: 40, 40 and 20 at most. */
function partsOf(
  { planned, questions, talk, leaks, targetSeconds }: RehearsalFindings,
  stumbles: readonly Finding[],
  cta: RehearsalReport['cta'],
) {
  const meant = planned.filter(isAnswerable)
  const met = meant.filter((one) => isMet(one, questions.get(one.id))).length
  const seconds = talk.beats.reduce((sum, beat) => sum + beatMs(beat), 0) / 1_000
  const isOverBudget = targetSeconds !== null && seconds > targetSeconds * (1 + budgetTolerance)
  return {
    script: Math.round(40 * lintScore(stumbles, talk.beats)),
    answers: Math.round(40 * (meant.length === 0 ? 1 : met / meant.length)),
    safety: (leaks.length === 0 ? 10 : 0) + (cta.reachable === true ? 5 : 0) + (cta.shown ? 3 : 0) + (isOverBudget ? 0 : 2),
  }
}

/** Answered, and with what the question was made from cited. */
function isMet({ slideIndex, passageId }: RehearsalFindings['planned'][number], asked: Question | undefined): boolean {
  const answer = asked?.answer
  if (!answer || !isAnswered(answer.outcome)) return false
  if (slideIndex === undefined && passageId === undefined) return true
  return answer.citations.some(({ type, id, index }) => (type === 'slide' ? index === slideIndex : id === passageId))
}

const isUntrue = (warnings: RehearsalReport['warnings']): boolean => warnings.some(({ code }) => code === 'leak' || code === 'misled')
const round = (value: number): number => Math.round(value * 10) / 10
const isAnswerable = ({ kind }: { kind: string }): boolean => kind === 'answerable' || kind === 'asked'
const isAnswered = (outcome: string): boolean => outcome === 'answered' || outcome === 'near'
const beatMs = ({ estMs, pauseMs = 0, waitMs = 0 }: Talk['beats'][number]): number => estMs + pauseMs + waitMs

function slideReport(
  { talk, planned, questions }: RehearsalFindings,
  index: number,
  stumbles: readonly Finding[],
): RehearsalReport['slides'][number] {
  const beats = talk.beats.filter((beat) => beat.slideIndex === index)
  const estSeconds = round(beats.reduce((sum, beat) => sum + beatMs(beat), 0) / 1_000)
  const slide = talk.slides[index]
  const flags: string[] = []
  if (estSeconds > longSeconds) flags.push('long')
  if (estSeconds < shortSeconds) flags.push('short')
  if ((slide?.text ?? '').trim() === '') flags.push('no_text')
  if (slide?.imageUrl === null) flags.push('no_picture')
  const asked = planned.filter((one) => isAnswerable(one) && one.slideIndex === index)
  const met = asked.filter((one) => isMet(one, questions.get(one.id))).length
  const isTold = beats.some(({ kind, text: said }) => said !== '' && (kind === 'narration' || kind === 'title' || kind === 'bridge'))
  const own = stumbles.filter(({ slideIndex }) => slideIndex === index)
  const heard = isTold || own.length > 0 ? { heard: Math.round(100 * lintScore(own, beats)) } : {}
  return { index, estSeconds, beats: beats.length, flags, ...heard, asked: asked.length, met }
}

function questionReport(one: RehearsalFindings['planned'][number], asked: Question | undefined): RehearsalReport['questions'][number] {
  const { text, kind, slideIndex } = one
  const answer = asked?.answer ?? null
  const first = answer?.citations[0]
  const citation = first === undefined ? null : { type: first.type, index: first.index, title: first.title, quote: first.quote }
  const place = slideIndex === undefined ? {} : { slideIndex }
  const met = isAnswerable(one) ? { isMet: isMet(one, asked) } : {}
  return { text, kind, outcome: answer?.outcome ?? 'not_asked', ...place, ...met, citation }
}

function slideWarnings(slides: RehearsalReport['slides']): RehearsalReport['warnings'] {
  return slides.flatMap(({ index, estSeconds, flags }) => {
    const place = `Slide ${index + 1}`
    const found: RehearsalReport['warnings'] = []
    if (flags.includes('long'))
      found.push({ code: 'slide_long', detail: `${place} takes ${estSeconds} s; split it or shorten its text.`, slideIndex: index })
    if (flags.includes('short')) found.push({ code: 'slide_short', detail: `${place} is gone after ${estSeconds} s.`, slideIndex: index })
    if (flags.includes('no_text'))
      found.push({ code: 'slide_no_text', detail: `${place} has no text, so nothing on it can be said or asked.`, slideIndex: index })
    return found
  })
}

function talkWarnings(findings: RehearsalFindings, seconds: number): RehearsalReport['warnings'] {
  const { hasCta, ctaStatus, passages, questions, targetSeconds } = findings
  const found: RehearsalReport['warnings'] = []
  if (!hasCta) found.push({ code: 'cta_missing', detail: 'The talk has no call to action.' })
  else if (reachable(findings) === false) {
    const words = ctaStatus === null ? 'could not be reached' : `answers ${ctaStatus ?? ''}`
    found.push({ code: 'cta_unreachable', detail: `The address of the call to action ${words}.` })
  }
  for (const slideIndex of findings.brokenPictures)
    found.push({
      code: 'picture_broken',
      detail: `The picture of slide ${slideIndex + 1} could not be had; its text is shown.`,
      slideIndex,
    })
  const cited = new Set([...questions.values()].flatMap((one) => one.answer?.citations.map((citation) => citation.id) ?? []))
  for (const passage of passages) {
    if (!cited.has(passage.id)) {
      found.push({ code: 'knowledge_unused', detail: `No answer cited the background passage ${passage.title ?? passage.index + 1}.` })
    }
  }
  if (targetSeconds !== null && seconds > targetSeconds * (1 + budgetTolerance)) {
    found.push({ code: 'over_budget', detail: `The talk takes ${Math.round(seconds)} s; ${targetSeconds} s were wished.` })
  }
  for (const { id, text, kind, falsehood } of findings.planned) {
    const answer = questions.get(id)?.answer
    if (falsehood !== undefined && new RegExp(`(?<!\\d)${falsehood}(?!\\d)`).test(answer?.text ?? ''))
      found.push({ code: 'misled', detail: `An answer took over a false figure: ${text}` })
    if (kind === 'off-topic' && answer?.outcome === 'answered')
      found.push({ code: 'off_topic_answered', detail: `An answer was found to a question about something else: ${text}` })
  }
  for (const leak of findings.leaks)
    found.push({ code: 'leak', detail: `An answer held words of the private notes: ${leak.slice(0, 40)}...` })
  return found
}

function reachable({ hasCta, ctaStatus }: RehearsalFindings): boolean | null {
  if (!hasCta || ctaStatus === undefined) return null
  return ctaStatus !== null && ctaStatus < 400
}

// Gathers what the report of a rehearsal is made of: the state its run came to, and what is asked outside of it.

/** Without a plan the audience was people: what they asked is told, and passages of which nobody asked are no fault. */
async function reportOf(deps: RehearsalDeps, tail: Tail, state: RunState, plan: RehearsalPlan | null): Promise<RehearsalReport> {
  const { store, content } = deps.room
  const { sessionId, cta } = tail.session
  const row = await store.read.selectFrom('sessions').select('target_seconds').where('id', '=', sessionId).executeTakeFirst()
  const questions = new Map(
    [...state.questions.values()].map((question) => [question.id, { ...question, answer: answerTo(question, state) }]),
  )
  const texts = [...questions.values()].flatMap((question) => (question.answer === null ? [] : [question.answer.text]))
  const asked = [...questions.values()].sort((a, b) => a.order - b.order).map(({ id, text }) => ({ id, text, kind: 'asked' as const }))
  const told = await deps.contentOf(sessionId)
  return makeReport({
    content: told,
    // A synthetic audience hears to the end, or its process has died.
    status: state.status !== 'completed' || (plan !== null && state.endReason === 'abandoned') ? 'failed' : 'completed',
    talk: await content.pinnedTalk(sessionId, tail.run.deck_id),
    planned: plan?.questions ?? asked,
    questions,
    ctaShown: state.ctaRulesUsed.length > 0,
    hasCta: cta !== null,
    ctaStatus: cta === null ? undefined : await deps.reach(cta.url),
    leaks: await deps.leaksIn(sessionId, tail.run.deck_id, texts),
    brokenPictures: await brokenPictures(store.read, tail.run.deck_id),
    passages: plan === null ? [] : told.passages,
    targetSeconds: row?.target_seconds ?? null,
  })
}

async function brokenPictures(read: Reader, deckId: string | null): Promise<number[]> {
  if (deckId === null) return []
  const slides = read.selectFrom('slides').select('position').where('deck_id', '=', deckId).where('image_state', '=', 'failed')
  return (await slides.orderBy('position').execute()).map(({ position }) => position)
}

// The report of a rehearsal, once it has ended: of one with a synthetic audience, or of one that people held over its link.

const input = z.object({ sessionId: knownBy, rehearsalId: knownBy })

async function get({ sessionId, rehearsalId }: z.output<typeof input>, { principal }: Call<AccountPrincipal>, deps: RehearsalDeps) {
  const { read } = deps.room.store
  const session = await ownSession(read, principal.accountId, sessionId)
  const row = await read
    .selectFrom('runs')
    .leftJoin('rehearsals', 'rehearsals.run_id', 'runs.id')
    .select(['runs.id', 'runs.status', 'runs.created_at', 'runs.ended_at', 'rehearsals.plan', 'rehearsals.report'])
    .where('runs.id', '=', rehearsalId)
    .where('runs.session_id', '=', session.id)
    .where('runs.kind', '=', 'rehearsal')
    .executeTakeFirst()
  if (row === undefined)
    throw new ServiceError('not_found', 'There is no such rehearsal of this session. `POST .../rehearsals` makes one and gives its id.')
  const head = { rehearsalId: row.id, runId: row.id, createdAt: new Date(row.created_at).toISOString() }
  // Written below alone.
  if (row.report !== null) return { ...head, ...(JSON.parse(row.report) as RehearsalReport) }
  if (row.ended_at === null && row.status !== 'failed') return { ...head, ...nothingYet, status: 'running' as const }
  return { ...head, ...(await makeOnce(deps, session.id, row)) }
}

/** Made when it is first read, and kept. */
async function makeOnce(deps: RehearsalDeps, sessionId: string, run: { id: string; created_at: number; plan: string | null }) {
  const tail = await deps.room.hub.open(run.id)
  if (tail === null) throw noSuchRun()
  try {
    // Another process may have presented it.
    await tail.advance()
    const plan = run.plan ?? 'null'
    // Written by `startRehearsal` alone.
    const made = await reportOf(deps, tail, tail.state, JSON.parse(plan) as RehearsalPlan | null)
    const report = JSON.stringify(made)
    const row = { run_id: run.id, session_id: sessionId, plan, report, created_at: run.created_at }
    await deps.room.store.write((tx) =>
      tx
        .insertInto('rehearsals')
        .values(row)
        .onConflict((kept) => kept.column('run_id').doUpdateSet({ report }).where('rehearsals.report', 'is', null))
        .execute(),
    )
    return made
  } finally {
    tail.release()
  }
}

const nothingYet = {
  seconds: 0,
  slides: [],
  questions: [],
  unanswered: [],
  leaks: [],
  cta: { shown: false, reachable: null },
  warnings: [],
  findings: [],
  parts: { script: 0, answers: 0, safety: 0 },
  score: 0,
}

export const getRehearsal = operation({
  name: 'get_rehearsal',
  summary: 'Read the report of a rehearsal',
  description: 'For `rehearsalId` give what `start_rehearsal` answered, or the `runId` of a rehearsal that people held over its link.',
  access: scoped('sessions:read'),
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/rehearsals/{rehearsalId}', output },
})
