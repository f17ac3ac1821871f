// "What did I miss?": the statements that say most of the slides passed. "What is on slide 4?": what it tells. "What is this talk
// about?": its title, titles of slides from all over the deck, and its main statements. Quoted and cited.
import { wordsOf } from '../platform/languages.ts'
import type { DeckContent, SlideText } from '../sessions/deck/content.ts'
import type { Citation } from '../contract/answer.ts'
import type { AnswerSession } from './answer-part.ts'
import { tell } from './evidence.ts'
import { keyPoints, type TalkPoint } from './key-points.ts'
import { citedSlide } from './quote.ts'
import type { Templates } from './templates.ts'

const titlesMost = 5

export interface Summary {
  sentences: { text: string; citations: readonly Citation[] }[]
}

/** Sentences of several slides, their citations numbered through. */
export function pointsSummary(points: readonly TalkPoint[], opening: Summary['sentences'] = []): Summary {
  const sentences = [...opening]
  let cited = opening.reduce((sum, { citations }) => sum + citations.length, 0)
  for (const { slide, told } of points) {
    const said = citedSlide(slide, told, cited + 1)
    cited += new Set(said.flatMap(({ citations }) => citations.map(({ n }) => n))).size
    sentences.push(...said)
  }
  return { sentences }
}

/** Covers the slides before and including `slideIndex`; the whole deck when it is left out. */
export function summaryOf(session: AnswerSession, slideIndex: number | undefined, templates: Templates): Summary {
  if (slideIndex === undefined && session.content.slides.length > 0) return overviewOf(session, templates)
  const points = keyPoints(session, slideIndex)
  const opening = points.length === 0 ? templates.nothingYet : templates.soFar
  return pointsSummary(points, [{ text: opening, citations: [] }])
}

export function slideSummaryOf(slide: SlideText, { language }: DeckContent, templates: Templates): Summary {
  const told = tell(slide, { block: -1, piece: 0 }, 'list', language)
  const start = slide.text.indexOf(slide.title)
  const title = slide.title === '' || start < 0 ? [] : [{ text: slide.title, start, end: start + slide.title.length }]
  const all = told.length > 0 ? told : title
  return all.length === 0 ? { sentences: [{ text: templates.unknown, citations: [] }] } : pointsSummary([{ slide, told: all }])
}

/** Titles of slides, each once and none that of the talk, with their citations. */
function titlesOf({ title, content }: AnswerSession): Citation[] {
  const titled = content.slides.flatMap((slide): Citation[] => {
    const start = slide.text.indexOf(slide.title)
    if (slide.title === '' || slide.title === title || start < 0 || /^(?:https?:|\[)/u.test(slide.title)) return []
    const end = start + slide.title.length
    return [{ type: 'slide', id: slide.id, index: slide.index, n: 0, title: slide.title, quote: slide.title, start, end }]
  })
  return titled.filter(({ quote }, at) => titled.findIndex((other) => other.quote === quote) === at)
}

/** What slides after `slideIndex` are called; undefined behind the last that has a title of its own. */
export function upcomingOf(session: AnswerSession, slideIndex: number): Summary | undefined {
  const { language } = session.content
  const ahead = titlesOf(session).filter(({ index }) => index > slideIndex)
  const citations = ahead.slice(0, titlesMost).map((citation, at): Citation => ({ ...citation, n: at + 1 }))
  if (citations.length === 0) return undefined
  const titles = new Intl.ListFormat(language, { type: 'conjunction' }).format(citations.map(({ quote }) => quote))
  return { sentences: [{ text: wordsOf(language).ahead.replace('{titles}', () => titles), citations }] }
}

/** All that slide `index` says, for who wants a thing explained: a quote is not made simpler. */
export function againOf({ content }: AnswerSession, index: number | undefined): Summary | undefined {
  const slide = index === undefined ? undefined : content.slides[index]
  if (slide === undefined) return undefined
  const told = tell(slide, { block: -1, piece: 0 }, 'list', content.language)
  const opening = wordsOf(content.language).onlyQuotes.replace('{slide}', String(slide.index + 1))
  return told.length === 0 ? undefined : pointsSummary([{ slide, told }], [{ text: opening, citations: [] }])
}

/** The title of the talk, at most five titles of slides spread over the deck, and what it says most. */
export function overviewOf(session: AnswerSession, templates: Templates): Summary {
  const { title } = session
  const distinct = titlesOf(session)
  const step = Math.max(1, distinct.length / titlesMost)
  const chosen = distinct.filter((_citation, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, titlesMost)
  const [first] = session.content.slides
  const at = title === '' ? -1 : (first?.text.indexOf(title) ?? -1)
  const named =
    first !== undefined && at >= 0 ? citedSlide(first, [{ text: templates.about(title), start: at, end: at + title.length }], 1) : []
  const opening = named.length > 0 ? named : [{ text: templates.about(title), citations: [] }]
  const citations = chosen.map((citation, place): Citation => ({ ...citation, n: named.length + place + 1 }))
  const covers = citations.length === 0 ? [] : [{ text: templates.covers(citations.map(({ quote }) => quote)), citations }]
  return pointsSummary(keyPoints(session), [...opening, ...covers])
}
