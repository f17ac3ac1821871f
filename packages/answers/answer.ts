// Answers a question from the public content of one session, without a model: a fixed sentence, or a verbatim quote with its citation.
// One function for the room, the Personal Agent Protocol and rehearsal (Spec 2.8). Pure; takes about a millisecond.
import type { AnswerOutcome } from '@rostrum/contract/answer'
import { baseLanguage, fill, inEveryLanguage, languageOf, languageTags, wordsOf } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import type { AnswerContext, AnswerEnd, AnswerSentence, AnswerSession } from './answer-part.ts'
import { led } from './evidence.ts'
import { asksForPrivateMatter, carriedInto, isWish, plainWords, signalOf, wantsOf, wishOf, without } from './intents.ts'
import {
  asksForSight,
  chooseQuotes,
  citedSentences,
  doubtOf,
  lackingIn,
  plain,
  type Quote,
  type Sentence,
  tellCandidate,
  verdictOf,
} from './quote.ts'
import { generalAnswer, longFormOf } from './ranking/general-questions.ts'
import { foreignLanguageOf } from './ranking/question.ts'
import { judge, rank, type Ranking, type Verdict } from './ranking/rank.ts'
import type { IndexedChunk } from './ranking/session-index.ts'
import { tokenise } from './ranking/tokens.ts'
import { slidesNamed } from './ranking/values.ts'
import { type Draft, replied, replyTo, suggestions } from './replies.ts'

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
const tracedMax = 5
/** Below this share of its own words found in one place, a short question may borrow those of the question before it. */
const ownCoverageMin = 0.3
const followUpTermsMax = 4
/** Where nothing measured it. */
const unsure = 0.5
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
  const again = rank(question, index, {
    ...options,
    borrowed: terms,
    ...(terms.length === 0 && { asked: carried.question }),
    near: slides,
    ...(type !== undefined && { type }),
  })
  return { ranking: again, asked: `${carried.question} ${question}` }
}

/** "What does SLA stand for?": the words themselves, where they stand anywhere. */
function longFormAsked(question: string, { content: { language }, index }: AnswerSession): Quote | undefined {
  const text = plainWords(question)
  const rest = without(text, wordsOf(language).standsFor)
  const [only, ...others] = rest === text ? [] : tokenise(rest, language).filter(({ weight }) => weight > 0)
  const found = only === undefined || others.length > 0 ? undefined : longFormOf(only.word, index)
  if (only === undefined || found === undefined) return undefined
  const { chunk, unit, start, end } = found
  const span = { start: unit.start + start, end: unit.start + end }
  return { candidate: { chunk, unit }, told: [{ text: led(only.word.toUpperCase(), unit.text.slice(start, end), language), ...span }] }
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
function contentDraft(said: string, context: AnswerContext): Draft {
  const { language } = context.session.content
  const foreign = foreignLanguageOf(said, language)
  if (foreign === undefined) return draftIn(language, said, context)
  const draft = draftIn(foreign, said, context)
  if (draft.outcome === 'handoff') return draft
  const name = new Intl.DisplayNames([foreign], { type: 'language' }).of(baseLanguage(language)) ?? language
  const opening = fill(languageOf(foreign).answers.otherLanguage, { language: name })
  return { ...draft, sentences: [plain(opening), ...draft.sentences] }
}

interface Found {
  quotes: readonly Quote[]
  /** Where it is no matter of the ranking. */
  verdict?: Verdict
}

/** The places that answer, the surest way first. `asked`: with the question before, where this one leans on it. */
function findIn(
  question: string,
  asked: string,
  named: readonly number[],
  ranking: Ranking,
  verdict: Verdict,
  session: AnswerSession,
): Found {
  const whole = wholeSlide(named, ranking, session)
  if (whole.length > 0) return { quotes: whole, verdict: 'near' }
  const longForm = longFormAsked(question, session)
  if (longForm !== undefined) return { quotes: [longForm], verdict: 'answered' }
  const general = verdict === 'answered' ? [] : generalAnswer(question, session.index)
  const told = general.map((candidate) => ({ candidate, told: tellCandidate(candidate, wishOf(question), session) }))
  if (told.length > 0) return { quotes: told, verdict: 'answered' }
  return { quotes: verdict === 'unknown' ? [] : chooseQuotes(ranking.candidates, asked, session, ranking.query) }
}

/** `language`: that of the question. */
function draftIn(language: string, said: string, context: AnswerContext): Draft {
  const { session, meant } = context
  const { content, index, cta } = session
  const words = languageOf(language).answers
  const { named, rest: question } = slidesNamed(said, content.slides.length)
  const { ranking, asked } = search(question, context, named)
  const { query, candidates } = ranking
  const { verdict: byWords, known, plain: plainly } = judge(ranking, index)
  const trace = {
    intent: 'question',
    known,
    plain: plainly,
    candidates: candidates
      .slice(0, tracedMax)
      .map(({ chunk, unit, score }) => ({ type: chunk.source.type, index: chunk.source.index, score, text: unit.text })),
  }
  const blank = named.find((at) => content.slides[at]?.text.trim() === '')
  if (blank !== undefined) {
    const sentences = [plain(fill(wordsOf(language).unseen, { slide: blank + 1 }))]
    return { outcome: 'near', confidence: unsure, sentences, suggestedActions: suggestions(session, language, { slides: [blank] }), trace }
  }
  const isUnknown = byWords === 'unknown'
  // A slide that is named, or a picture that is asked for, is led to; what is wanted of it may be in no words.
  const isLed = isUnknown && candidates.length > 0 && (named.length > 0 || (known >= ledMin && asksForSight(question, query, [], language)))
  // Of another language the words that are not met may be said in the deck's.
  const isGuessed = byWords === 'answered' && language !== content.language && query.terms.some(({ variants }) => variants.length === 0)
  const isMeant = isUnknown && meant !== undefined
  const judged = isLed || isGuessed || isMeant ? 'near' : byWords
  const found = findIn(question, asked, named, isMeant && !isLed ? { query, candidates: [meant] } : ranking, judged, session)
  const { quotes } = found
  const lacking = judged === 'answered' ? lackingIn(question, ranking, index) : []
  const verdict = found.verdict ?? verdictOf(question, judged, quotes, lacking, query, language)
  const signal = signalOf(question)
  const common = { trace, ...(signal === undefined ? {} : { signal }) }
  const slides = quotes.flatMap(({ candidate: { chunk } }) => (chunk.source.type === 'slide' ? [chunk.source.index] : []))
  const actions = (outcome: AnswerOutcome) => ({
    outcome,
    suggestedActions: suggestions(session, language, {
      isOffer: signal !== undefined,
      toHost: outcome !== 'answered',
      slides: outcome === 'answered' || outcome === 'near' ? slides : [],
    }),
  })
  const offer = cta === undefined ? undefined : fill(words.cta, { label: cta.text })
  if (verdict !== 'answered' && isWish(question))
    return { ...common, ...actions('handoff'), confidence: 1, sentences: [plain(offer ?? words.toHost)] }
  if (verdict === 'unknown') {
    const isOffer = signal === 'booking' || signal === 'contact' || signal === 'trial'
    return { ...common, ...actions('unknown'), confidence: known, sentences: [plain((isOffer ? offer : undefined) ?? words.unknown)] }
  }
  const told: Sentence[] = []
  for (const quote of quotes) told.push(...citedSentences(quote, session, told.length + 1))
  const doubt = verdict === 'near' ? (doubtOf(question, query, quotes, lacking, language) ?? words.notCertain) : undefined
  const before = [signal === 'booking' ? offer : undefined, doubt].filter((text) => text !== undefined)
  return {
    ...common,
    ...actions(verdict),
    confidence: verdict === 'near' ? plainly : Math.max(unsure, Math.min(known, plainly)),
    sentences: [...before.map(plain), ...told],
  }
}

function draftOf(question: string, context: AnswerContext): Draft {
  const { content } = context.session
  if (asksForPrivateMatter(question)) return replied('private', languageOf(content.language).answers.declined, 'declined')
  const wants = wantsOf(question, content.language, { count: content.slides.length, at: context.slideIndex })
  for (const want of wants) {
    const reply = replyTo(want, context)
    if (reply !== null) return reply
  }
  const draft = contentDraft(question, context)
  const asksForParts = wants.some(({ type }) => type === 'agenda') && draft.outcome !== 'answered'
  return (asksForParts ? replyTo({ type: 'upcoming' }, context) : null) ?? draft
}

/** What promises a host, in any language, and what is said instead where there is none. */
const alone = lazily(() => {
  const promised = inEveryLanguage(({ answers }) =>
    (['unknown', 'toHost', 'recorded'] as const).map((key) => [answers[key], answers.alone[key]] as const),
  )
  return new Map(promised)
})

/** In steps, what a first question would wait for: patterns are compiled when they are used, and anew for letters beyond Latin ones. */
export function* readying(): Generator<undefined, void> {
  for (const tag of languageTags()) {
    languageOf(tag)
    yield
  }
  const looks = [asksForPrivateMatter, signalOf, isWish, wishOf, asksForContent]
  for (const text of ['is it?', '問？'])
    for (const look of looks) {
      look(text)
      yield
    }
}

const asksForContent = (text: string) => [
  wantsOf(text, 'en', { count: 1, at: undefined }),
  slidesNamed(text, 1),
  foreignLanguageOf(text, 'en'),
]

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
  const found = draftOf(readOf(question), context)
  const said = found.sentences.map(({ text, citations }) => ({ text: alone().get(text) ?? text, citations }))
  const actions = found.suggestedActions?.filter(({ type }) => type !== 'contact_host')
  const draft: Draft = context.isAlone ? { ...found, sentences: said, ...(actions && { suggestedActions: actions }) } : found
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
