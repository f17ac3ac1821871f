// Answers a question from the public content of one session, without a model: a fixed sentence, or a verbatim quote with its citation.
// One function for the room, the Personal Agent Protocol and rehearsal (Spec 2.8). Pure; takes about a millisecond.
import { answerabilityWeights, rankWeights } from '../retrieval/weights.ts'
import { isDeck, judge, type Judgement } from '../retrieval/answerability.ts'
import { generalAnswer } from '../retrieval/general-questions.ts'
import { rank, type Candidate, type Ranking } from '../retrieval/rank.ts'
import { tokenise } from '../retrieval/tokens.ts'
import type { AnswerContext, AnswerEnd, AnswerPart, AnswerSentence, Outcome, Signal, SuggestedAction, Trace } from './answer-part.ts'
import { fixed, intentDraft, plain, type Draft, type Sentence } from './intent-draft.ts'
import { intentOf, isFollowUp, isWish, signalOf } from './intents.ts'
import { asksForPrivateMatter } from './private-matter.ts'
import { chooseQuotes, citationOf, sentenceFor } from './quote.ts'
import { templatesFor, type Templates } from './templates.ts'

const questionMax = 4_000
const actionsMax = 3
const tracedMax = 5
/** Below this share of its own words found in one place, a short question may borrow those of the question before it. */
const ownCoverageMin = 0.3
const followUpTermsMax = 4

function search(question: string, context: AnswerContext): Ranking {
  const { index } = context.session
  const options = { weights: rankWeights, ...(context.slideIndex === undefined ? {} : { slideIndex: context.slideIndex }) }
  const ranking = rank(question, index, options)
  const previous = context.history?.at(-1)?.question
  const coverage = ranking.candidates[0]?.features[0] ?? 0
  const { query } = ranking
  const isOwnSubject =
    coverage >= ownCoverageMin || query.length > followUpTermsMax || query.terms.some(({ variants }) => variants.length === 0)
  if (previous === undefined || isOwnSubject || !isFollowUp(question)) return ranking
  return rank(question, index, { ...options, borrowed: tokenise(previous, index.language) })
}

function traceOf({ candidates }: Ranking, judgement: Judgement): Trace {
  return {
    intent: 'question',
    known: judgement.known,
    plain: judgement.plain,
    candidates: candidates
      .slice(0, tracedMax)
      .map(({ chunk, unit, score }) => ({ type: chunk.source.type, index: chunk.source.index, score, text: unit.text })),
  }
}

function actionsFor(
  quotes: readonly Pick<Candidate, 'chunk'>[],
  outcome: Outcome,
  signal: Signal | undefined,
  context: AnswerContext,
  templates: Templates,
): SuggestedAction[] {
  const actions: SuggestedAction[] = []
  const { cta } = context.session
  if (signal !== undefined && cta) actions.push({ type: 'open_link', label: cta.text, url: cta.url })
  if (outcome !== 'answered') actions.push({ type: 'contact_host', label: templates.tellHost })
  for (const { chunk } of quotes) {
    const { type, index } = chunk.source
    const isNew = !actions.some((action) => action.type === 'goto_slide' && action.slideIndex === index)
    if (type === 'slide' && isNew) actions.push({ type: 'goto_slide', label: templates.openSlide(index + 1), slideIndex: index })
  }
  return actions.slice(0, actionsMax)
}

function contentDraft(question: string, context: AnswerContext, templates: Templates): Draft {
  const ranking = search(question, context)
  const judged = judge(ranking, context.session.index, answerabilityWeights)
  const general = judged.verdict === 'answered' ? [] : generalAnswer(question, context.session.index)
  const judgement: Judgement = general.length === 0 ? judged : { ...judged, verdict: 'answered' }
  const signal = signalOf(question)
  const trace = traceOf(ranking, judgement)
  const common = { trace, ...(signal === undefined ? {} : { signal }) }
  const { cta } = context.session
  if (judgement.verdict !== 'answered' && isWish(question)) {
    return {
      ...common,
      outcome: 'handoff',
      confidence: 1,
      sentences: [plain(cta === undefined ? templates.toHost : templates.cta(cta.text))],
      suggestedActions: actionsFor([], 'handoff', signal, context, templates),
    }
  }
  if (judgement.verdict === 'unknown') {
    const isOffer = cta !== undefined && (signal === 'booking' || signal === 'contact' || signal === 'trial')
    const text = isOffer ? templates.cta(cta.text) : templates.unknown
    return {
      ...common,
      outcome: 'unknown',
      confidence: judgement.known,
      sentences: [plain(text)],
      suggestedActions: actionsFor([], 'unknown', signal, context, templates),
    }
  }
  const isNear = judgement.verdict === 'near'
  const quotes = general.length > 0 ? general : chooseQuotes(ranking.candidates, isDeck(context.session.index) ? 'deck' : 'prose')
  const citations = quotes.map((candidate, at) => citationOf(candidate, at + 1))
  const said = citations.map((citation, at): Sentence => ({
    text: sentenceFor(citation, templates, citations[at - 1]),
    citations: [citation],
  }))
  const offer = signal === 'booking' && cta !== undefined ? [plain(templates.cta(cta.text))] : []
  return {
    ...common,
    outcome: judgement.verdict,
    confidence: isNear ? judgement.plain : Math.min(judgement.known, Math.max(judgement.plain, 0.5)),
    sentences: [...offer, ...(isNear ? [plain(templates.notCertain)] : []), ...said],
    suggestedActions: actionsFor(quotes, judgement.verdict, signal, context, templates),
  }
}

function draftOf(question: string, context: AnswerContext): Draft {
  const templates = templatesFor(context.session.content.language)
  if (asksForPrivateMatter(question)) return fixed('private', 'declined', [templates.declined])
  const intent = intentOf(question, { count: context.session.content.slides.length, at: context.slideIndex })
  return (intent && intentDraft(intent, context, templates)) ?? contentDraft(question, context, templates)
}

/** The whole of an extractive answer: its sentences, and its end. */
export interface Quoted {
  sentences: readonly AnswerSentence[]
  end: AnswerEnd
}

/**
 * Never throws on any question; every sentence is a template of the session's language or such a template around verbatim quotes, and
 * every quote is cited.
 */
export function quotedAnswer(question: string, context: AnswerContext): Quoted {
  const draft = draftOf(question.slice(0, questionMax).toWellFormed(), context)
  return {
    sentences: draft.sentences.map(({ text, citations }, index) => ({ type: 'sentence', index, text, citations })),
    end: {
      type: 'end',
      outcome: draft.outcome,
      mode: 'extractive',
      confidence: Math.round(draft.confidence * 100) / 100,
      text: draft.sentences.map(({ text }) => text).join(' '),
      citations: draft.sentences.flatMap(({ citations }) => citations),
      suggestedActions: draft.suggestedActions ?? [],
      ...(draft.control ? { control: draft.control } : {}),
      ...(draft.signal === undefined ? {} : { signal: draft.signal }),
      trace: draft.trace,
    },
  }
}

/** Yields one part per sentence and an end with everything in it. */
export async function* answer(question: string, context: AnswerContext): AsyncIterable<AnswerPart> {
  const { sentences, end } = quotedAnswer(question, context)
  yield* sentences
  yield end
}
