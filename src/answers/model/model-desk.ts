// Answers a question with the models of the chain: a slot, a prompt, a race, and of what the winner writes only what the verifier lets
// through, sentence by sentence. It never throws and is never silent for two seconds; where it ends with nothing said, the caller
// gives the quoting answer, which it has had from the first moment.
import { createHmac } from 'node:crypto'
import type { ModelTrace } from '../../contract/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Ids, randomBase32 } from '../../platform/ids.ts'
import { estimateMs } from '../../sessions/script/compile/timing.ts'
import type { AnswerContext, Citation } from '../answer-part.ts'
import { claimCitations } from '../claim-citations.ts'
import type { SessionIndex } from '../ranking/session-index.ts'
import { verifyClaim } from '../verify-claim.ts'
import type { Circuits } from './circuits.ts'
import type { LanguageModel } from './language-model.ts'
import { answerPrompt, type Markers } from './prompt.ts'
import { runRace } from './run-race.ts'
import type { Slots } from './slots.ts'

export interface ModelQuestion {
  question: string
  context: AnswerContext
  attendeeId: string
  /** Whether a text holds what only private notes hold; the notes themselves are out of reach here. */
  leaks(text: string, question: string): boolean
  signal: AbortSignal
}

export type ModelAnswerPart =
  | { type: 'sentence'; text: string; citations: readonly Citation[]; support: number }
  | { type: 'end'; flags: ReadonlySet<'suggest_cta' | 'handoff'>; trace: ModelTrace }

export interface ModelDesk {
  answer(question: ModelQuestion): AsyncIterable<ModelAnswerPart>
}

export interface ModelDeskDeps {
  clock: Clock
  ids: Ids
  models: readonly LanguageModel[]
  slots: Slots
  circuits: Circuits
  /** Counts a call against the budget of the session's account; false where it is used up. */
  afford(sessionId: string): Promise<boolean>
  /** `ROSTRUM_SPEECH_WPM` */
  speechWpm: number
}

const markerLength = 20

export function createModelDesk({ clock, ids, models, slots, circuits, afford, speechWpm }: ModelDeskDeps): ModelDesk {
  const secret = ids.bytes(32)
  const stableMarkers = new WeakMap<SessionIndex, string>()

  /** The material's marker stays while the session's content stays, so that the front of the prompt can be cached. */
  function markersFor({ session: { sessionId, content, index } }: AnswerContext): Markers {
    let stable = stableMarkers.get(index)
    if (stable === undefined) {
      const identity = JSON.stringify([
        sessionId,
        content.slides.map(({ text }) => text),
        content.passages.map((passage) => passage.content),
      ])
      stable = createHmac('sha256', secret).update(identity).digest('hex').slice(0, markerLength)
      stableMarkers.set(index, stable)
    }
    return { material: `=====${stable}=====`, ask: `=====${randomBase32(ids, markerLength)}=====` }
  }

  async function* answer({ question, context, attendeeId, leaks, signal }: ModelQuestion): AsyncGenerator<ModelAnswerPart, void> {
    const askedAt = clock.now()
    const nothing = (why: string): ModelAnswerPart => ({
      type: 'end',
      flags: new Set(),
      trace: { why, waitedMs: clock.now() - askedAt, calls: [] },
    })
    if (!models.some((_, at) => circuits.mayCall(at))) {
      yield nothing('circuit')
      return
    }
    const leave = await slots.take(context.session.sessionId, attendeeId, signal)
    if (leave === null) {
      if (!signal.aborted) yield nothing('busy')
      return
    }
    try {
      const waitedMs = clock.now() - askedAt
      const { sessionId } = context.session
      if (!(await afford(sessionId))) {
        yield nothing('budget')
        return
      }
      let calls = 0
      const { index } = context.session
      const { prompt, sources } = answerPrompt(question, context, markersFor(context))
      const flags = new Set<'suggest_cta' | 'handoff'>()
      const race = runRace({
        clock,
        askedAt,
        prompt,
        signal,
        models: models.flatMap((model, at) => (circuits.mayCall(at) ? [{ at, model }] : [])),
        judge(claim) {
          const ids = claim.sources.map((name) => sources.get(name.replace(/^\[|\]$/g, '').toLowerCase())?.id ?? '')
          const verdict = verifyClaim({ text: claim.text, sources: ids }, { index, title: context.session.title, question, leaks })
          if (!verdict.ok) return { verdict: verdict.reason, said: null, forMs: 0 }
          const said = { text: claim.text, ids, support: verdict.support }
          return { verdict: 'ok', said, forMs: estimateMs(claim.text, context.session.content.language, speechWpm) }
        },
        onCall(at) {
          // The first was counted before; a hedge that is under way is not stopped for the count.
          if (calls++ > 0) void afford(sessionId)
          circuits.onCall(at)
        },
        onOutcome: circuits.onOutcome,
      })
      let cited = 0
      for await (const part of race) {
        if (part.type === 'said') {
          const { text, ids, support } = part.said
          const citations = claimCitations(text, ids, index, cited + 1)
          cited += citations.length
          yield { type: 'sentence', text, citations, support }
        } else if (part.type === 'flag') flags.add(part.flag)
        else yield { type: 'end', flags, trace: { why: part.why, waitedMs, calls: part.calls } }
      }
    } finally {
      leave()
    }
  }

  return { answer }
}
