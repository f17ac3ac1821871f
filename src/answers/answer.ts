// Answers a question from the public content of one session, without a model: a fixed sentence, or a verbatim quote with its citation.
// One function for the room, the Personal Agent Protocol and rehearsal (Spec 2.8). Pure; takes about a millisecond.
import type { AnswerOutcome, AnswerTrace, Signal, SuggestedAction } from '../contract/answer.ts'
import { wordsOf } from '../platform/languages.ts'
import type { AnswerContext, AnswerEnd, AnswerPart, AnswerSentence, AnswerSession } from './answer-part.ts'
import { bothSides, countAsked, type Counted, countOver } from './counting.ts'
import { led } from './evidence.ts'
import { carriedInto, intentOf, isWish, plainWords, signalOf, type WholeTalk, wholeTalkOf, wishOf, without } from './intents.ts'
import { asksForSight, chooseQuotes, citedSentences, doubtOf, itself, lackingIn, type Quote, tellCandidate, verdictOf } from './quote.ts'
import { type Draft, fixed, intentDraft, plain, type Sentence, summaryDraft, type Templates, templatesFor } from './replies.ts'
import { againOf, agendaOf, audienceOf, overviewOf, peopleOf, pointsSummary, upcomingOf } from './summary.ts'
import { asksForPrivateMatter } from './private-matter.ts'
import { type Candidate, judge, type Judgement, rank, type Ranking } from './ranking/rank.ts'
import { dateOfTalk, generalAnswer, longFormOf } from './ranking/general-questions.ts'
import { slidesNamed } from './ranking/values.ts'
import { foreignLanguageOf } from './ranking/question.ts'
import type { IndexedChunk } from './ranking/session-index.ts'
import { tokenise } from './ranking/tokens.ts'

/** Characters of a question that are read; more than anybody asks at once. */
const questionMax = 1_200
/** Shorter ones stay as they are written: one sign of Unicode stands for up to eighteen letters. */
const plainMax = 100

/** What is read of a question: of a long one its beginning and its end, where people put what they want to know. */
function readOf(question: string): string {
  const text = question.length > plainMax ? question.normalize('NFKC') : question
  const half = questionMax / 2
  return (text.length > questionMax ? `${text.slice(0, half)}\n${text.slice(-half)}` : text).toWellFormed()
}
const actionsMax = 3
const tracedMax = 5
/** Below this share of its own words found in one place, a short question may borrow those of the question before it. */
const ownCoverageMin = 0.3
const followUpTermsMax = 4
/** A question for a picture that is less likely to be of this talk leads nowhere. */
const ledMin = 0.1

/** `asked`: with the question before, where this one leans on it. */
function search(question: string, context: AnswerContext, named: readonly number[]): { ranking: Ranking; asked: string } {
  const { index } = context.session
  const options = { named, ...(context.slideIndex === undefined ? {} : { slideIndex: context.slideIndex }) }
  const ranking = rank(question, index, options)
  const coverage = ranking.candidates[0]?.features[0] ?? 0
  const { query } = ranking
  const isOwnSubject =
    coverage >= ownCoverageMin || query.length > followUpTermsMax || query.terms.some(({ variants }) => variants.length === 0)
  const carried = carriedInto(question, context.history ?? [], index.language, isOwnSubject)
  if (carried === undefined) return { ranking, asked: question }
  const { terms, type, slides } = carried
  const again = rank(question, index, { ...options, borrowed: terms, near: slides, ...(type !== undefined && { type }) })
  return { ranking: again, asked: `${carried.question} ${question}` }
}

function traceOf({ candidates }: Ranking, judgement: Judgement): AnswerTrace {
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
  outcome: AnswerOutcome,
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

/** "What does SLA stand for?": the words themselves, where they stand anywhere. */
function longFormAsked(question: string, { content: { language }, index }: AnswerSession): Counted | undefined {
  const text = plainWords(question)
  const rest = without(text, wordsOf(language).standsFor)
  const [only, ...others] = rest === text ? [] : tokenise(rest, language).filter(({ weight }) => weight > 0)
  const found = only === undefined || others.length > 0 ? undefined : longFormOf(only.word, index)
  if (only === undefined || found === undefined) return undefined
  const { chunk, unit, start, end } = found
  const span = { start: unit.start + start, end: unit.start + end }
  return {
    quotes: [
      { candidate: { chunk, unit }, told: [{ text: led(only.word.toUpperCase(), unit.text.slice(start, end), language), ...span }] },
    ],
  }
}

/** All that a slide says which the question names, where it shares no word with it. */
function wholeSlide(named: readonly number[], { candidates }: Ranking, session: AnswerSession): Quote[] {
  const isOn = ({ source }: IndexedChunk) => source.type === 'slide' && named.includes(source.index)
  const chunk = session.index.chunks.find(isOn)
  const unit = chunk?.units.find(({ place }) => place?.block === -1) ?? chunk?.units[0]
  if (chunk === undefined || unit === undefined || candidates.some((candidate) => isOn(candidate.chunk))) return []
  const candidate = { chunk, unit }
  return [{ candidate, told: tellCandidate(candidate, 'statement', session) }]
}

/** To who asks in another language the answer is in theirs, but for what the slides say, which stays as it stands. */
function contentDraft(said: string, context: AnswerContext, own: Templates): Draft {
  const { session } = context
  const foreign = foreignLanguageOf(said, session.content.language)
  if (foreign === undefined) return draftIn(session.content.language, said, context, own)
  const templates = templatesFor(foreign)
  const draft = draftIn(foreign, said, context, templates)
  if (draft.outcome === 'handoff') return draft
  return { ...draft, sentences: [plain(templates.otherLanguage(session.content.language)), ...draft.sentences] }
}

/** `language`: that of the question. */
function draftIn(language: string, said: string, context: AnswerContext, templates: Templates): Draft {
  const { session } = context
  const { named, rest: question } = slidesNamed(said, session.content.slides.length)
  const { ranking, asked } = search(question, context, named)
  const byWords = judge(ranking, session.index)
  const meant = byWords.verdict === 'unknown' ? context.meant : undefined
  const over = countOver(question, ranking.query, named, session)
  if (over !== undefined)
    return {
      outcome: over.isSure ? 'answered' : 'near',
      confidence: over.isSure ? 1 : 0.5,
      sentences: [over.sentence],
      suggestedActions: [],
      trace: traceOf(ranking, byWords),
    }
  const blank = named.find((at) => session.content.slides[at]?.text.trim() === '')
  if (blank !== undefined) {
    const action: SuggestedAction = { type: 'goto_slide', label: templates.openSlide(blank + 1), slideIndex: blank }
    const sentences = [plain(wordsOf(language).unseen.replace('{slide}', String(blank + 1)))]
    return { outcome: 'near', confidence: 0.5, sentences, suggestedActions: [action], trace: traceOf(ranking, byWords) }
  }
  // A slide that is named, or a picture that is asked for, is led to; what is wanted of it may be in no words.
  const isLed =
    byWords.verdict === 'unknown' &&
    ranking.candidates.length > 0 &&
    (named.length > 0 || (byWords.known >= ledMin && asksForSight(question, ranking.query, [], language)))
  // Of another language the words that are not met may be said in the deck's.
  const isGuessed =
    byWords.verdict === 'answered' &&
    language !== session.content.language &&
    ranking.query.terms.some(({ variants }) => variants.length === 0)
  const judged: Judgement = isLed || isGuessed || meant !== undefined ? { ...byWords, verdict: 'near' } : byWords
  const dated = dateOfTalk(question, session.index)
  const general = dated.length > 0 || judged.verdict === 'answered' ? dated : generalAnswer(question, session.index)
  const whole = wholeSlide(named, ranking, session)
  const counted = whole.length > 0 ? undefined : (longFormAsked(question, session) ?? countAsked(question, ranking, session))
  const sides = whole.length > 0 || counted !== undefined || general.length > 0 ? undefined : bothSides(question, session)
  const quotes =
    whole.length > 0
      ? whole
      : dated.length > 0
        ? dated.map((candidate) => itself(candidate, session))
        : (counted?.quotes ??
          sides ??
          quotesFor({ question, asked }, judged, general, meant && !isLed ? { ...ranking, candidates: [meant] } : ranking, session))
  const lacking = judged.verdict === 'answered' ? lackingIn(question, ranking, session.index) : []
  const verdict =
    whole.length > 0
      ? 'near'
      : general.length > 0 || counted !== undefined
        ? 'answered'
        : verdictOf(question, sides === undefined ? judged : { ...judged, verdict: 'answered' }, quotes, lacking, ranking, language)
  const judgement: Judgement = { ...judged, verdict }
  const signal = signalOf(question)
  const trace = traceOf(ranking, judgement)
  const common = { trace, ...(signal === undefined ? {} : { signal }) }
  const { cta } = session
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
  const told: Sentence[] = []
  for (const quote of quotes) told.push(...citedSentences(quote, session, told.length + 1))
  const offer = signal === 'booking' && cta !== undefined ? [plain(templates.cta(cta.text))] : []
  const count = counted?.opening === undefined ? [] : [plain(counted.opening)]
  const doubt = doubtOf(question, ranking.query, quotes, lacking, language) ?? templates.notCertain
  const places = quotes.map(({ candidate }) => candidate)
  return {
    ...common,
    outcome: judgement.verdict,
    confidence: isNear ? judgement.plain : Math.max(0.5, Math.min(judgement.known, judgement.plain)),
    sentences: [...offer, ...(isNear ? [plain(doubt)] : []), ...count, ...told],
    suggestedActions: actionsFor(places, judgement.verdict, signal, context, templates),
  }
}

function quotesFor(
  { question, asked }: { question: string; asked: string },
  { verdict }: Judgement,
  general: ReturnType<typeof generalAnswer>,
  { candidates, query }: Ranking,
  session: AnswerSession,
): Quote[] {
  if (general.length > 0) return general.map((candidate) => ({ candidate, told: tellCandidate(candidate, wishOf(question), session) }))
  if (verdict === 'unknown') return []
  return chooseQuotes(candidates, asked, session, query.wanted)
}

/** Null where the talk says nothing of it. */
function wholeDraft(whole: WholeTalk, question: string, context: AnswerContext, templates: Templates): Draft | null {
  const { session, slideIndex, history } = context
  switch (whole.type) {
    case 'small_talk':
      return fixed('small_talk', 'answered', [whole.reply])
    case 'summary':
      return summaryDraft('summary', overviewOf(session, templates))
    case 'speaker': {
      const people = peopleOf(session)
      return people.length === 0
        ? fixed('speaker', 'answered', [templates.whoAmI(session.title)])
        : summaryDraft('speaker', pointsSummary(people))
    }
    case 'audience': {
      const told = audienceOf(session)
      if (told === undefined && session.content.passages.length > 0) return null
      return told === undefined
        ? {
            ...fixed('audience', 'unknown', [templates.unknown]),
            confidence: 0,
            suggestedActions: actionsFor([], 'unknown', undefined, context, templates),
          }
        : summaryDraft('audience', pointsSummary([told]))
    }
    case 'simpler': {
      const again = againOf(session, history?.at(-1)?.slides?.[0] ?? slideIndex)
      return again === undefined ? null : summaryDraft('simpler', again)
    }
    case 'agenda':
    case 'upcoming': {
      const parts = whole.type === 'agenda' ? agendaOf(session) : undefined
      if (parts !== undefined) return summaryDraft('agenda', pointsSummary([parts]))
      const own = whole.type === 'agenda' ? contentDraft(question, context, templates) : undefined
      if (own?.outcome === 'answered') return own
      return summaryDraft(
        'upcoming',
        (slideIndex === undefined ? undefined : upcomingOf(session, slideIndex)) ?? overviewOf(session, templates),
      )
    }
  }
}

function draftOf(question: string, context: AnswerContext): Draft {
  const { session } = context
  const templates = templatesFor(session.content.language)
  if (asksForPrivateMatter(question)) return fixed('private', 'declined', [templates.declined])
  const intent = intentOf(question, { count: session.content.slides.length, at: context.slideIndex })
  const whole = wholeTalkOf(question, session.content.language)
  // Who speaks is who the slides name, and what is covered what a slide lists; without them the presenter says it in its own words.
  const isTold =
    (whole?.type === 'speaker' && peopleOf(session).length > 0) || (whole?.type === 'agenda' && agendaOf(session) !== undefined)
  const meant = intent && !isTold && intentDraft(intent, context, templates)
  if (meant) return meant
  return (whole && wholeDraft(whole, question, context, templates)) ?? contentDraft(question, context, templates)
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
  const draft = draftOf(readOf(question), context)
  return {
    sentences: draft.sentences.map(({ text, citations }) => ({ type: 'sentence', text, citations })),
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
