// Asks every question of a set through the product's own `answer` and counts what came back.
import { quotedAnswer } from '@rostrum/answers/answer'
import type { AnswerEnd, AnswerSentence, AnswerSession } from '@rostrum/answers/answer-part'
import { languageOf, wordsOf } from '@rostrum/languages/languages'
import { rank } from '@rostrum/answers/ranking/rank'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import type { Question, Subject } from './sets.ts'

export interface Asked {
  question: Question
  subject: Subject
  end: AnswerEnd
  sentences: readonly AnswerSentence[]
  /** Sources of the ranking, best first, whatever the outcome. */
  rankedSources: readonly string[]
}

const keyOf = ({ type, index }: { type: string; index: number }) => `${type}${index}`

export function sessionOf(subject: Subject): AnswerSession {
  const index = buildSessionIndex(subject.id, subject.content)
  return { sessionId: subject.id, title: subject.content.title, content: subject.content, index }
}

function ask(question: Question, subject: Subject, session: AnswerSession): Asked {
  const { sentences, end } = quotedAnswer(question.text, { session })
  const ranking = rank(question.text, session.index)
  const rankedSources = [...new Set(ranking.candidates.map(({ chunk }) => keyOf(chunk.source)))]
  return { question, subject, end, sentences, rankedSources }
}

export async function askAll(subjects: readonly Subject[]): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const subject of subjects) {
    const session = sessionOf(subject)
    for (const question of subject.questions) asked.push(ask(question, subject, session))
  }
  return asked
}

export const isRight = ({ question, rankedSources }: Asked) => question.source !== undefined && rankedSources[0] === keyOf(question.source)
export const isInFirst3 = ({ question, rankedSources }: Asked) =>
  question.source !== undefined && rankedSources.slice(0, 3).includes(keyOf(question.source))
/** From the content: a kind word to "Tell me a joke" is no answer. */
export const isAnswered = ({ end }: Asked) => (end.outcome === 'answered' || end.outcome === 'near') && end.citations.length > 0
export const isPlain = ({ end }: Asked) => end.outcome === 'answered'
export const citesRight = ({ question, end }: Asked) => {
  const [first] = end.citations
  return first !== undefined && question.source !== undefined && keyOf(first) === keyOf(question.source)
}

/** The quoted text holds one of the accepted answers. */
export function quotesAnswer({ question, end }: Asked): boolean {
  const quoted = end.citations.map(({ quote }) => quote.toLowerCase()).join('\n')
  return question.answers.some((text) => quoted.includes(text.toLowerCase()))
}

/** Every citation is verbatim in a source of this subject. */
export function isVerbatim({ subject, end }: Asked): boolean {
  return end.citations.every((citation) => {
    const { slides, passages } = subject.content
    const text = citation.type === 'slide' ? slides[citation.index]?.text : passages[citation.index]?.content
    const id = citation.type === 'slide' ? slides[citation.index]?.id : passages[citation.index]?.id
    return id === citation.id && text?.slice(citation.start, citation.end) === citation.quote
  })
}

const wordsIn = (text: string) => text.toLowerCase().match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? []

/** A sentence is fixed, or says nothing but words of its source: those of the quote, of what it stands under, and "and". */
export function isTemplateOrQuote({ sentences, subject }: Asked): boolean {
  const { slides, passages, language } = subject.content
  const { lacks, smallTalk, unseen } = wordsOf(language)
  const replies = Object.values(smallTalk).map(({ reply }) => reply)
  const { notCertain, unknown, declined } = languageOf(language).answers
  const fixed = new Set([notCertain, unknown, declined, ...replies])
  const framed = [lacks.split('{words}'), unseen.split('{slide}')]
  const joins = wordsIn(new Intl.ListFormat(language, { type: 'conjunction' }).format(['1', '2']))
  return sentences.every(({ text, citations }) => {
    const [citation] = citations
    if (!citation) return fixed.has(text) || framed.some(([before = '', after = '']) => text.startsWith(before) && text.endsWith(after))
    const source = citation.type === 'slide' ? slides[citation.index]?.text : passages[citation.index]?.content
    const held = new Set([...wordsIn(`${source ?? ''} ${citation.title}`), ...joins])
    return citations.length === 1 && wordsIn(text).every((word) => held.has(word))
  })
}
