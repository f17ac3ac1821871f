// Finds, for each slide, what the background material says more of it: sentences that speak of the slide's terms and are not on it.
// Each sentence is used once in a talk, where it fits best.
import type { Passage, SourceRef } from '../../deck/content.ts'
import { sentenceSpans } from '../../deck/sentences.ts'
import type { ScriptSlide } from './beat.ts'
import { isEnded, isFunctionWord, isUnspeakable, wordsOf } from './spoken-words.ts'

export interface Explanation {
  text: string
  source: SourceRef
}

const wordsLeast = 6
const wordsMost = 35
/** Of the background, in the order it was given. */
const sentencesMost = 3_000
/** Of the content words of a sentence, the share that must be news to who reads the slide. */
const newsLeast = 0.5
const titleWeight = 2

interface Candidate extends Explanation {
  terms: readonly string[]
  /** What its passage is about, by its title. */
  about: readonly string[]
  at: number
}

/** Words that carry meaning, cut to what their forms have in common. */
function termsOf(text: string, language: string): string[] {
  const isCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return wordsOf(text, language).flatMap((word) => {
    if (isCharacter.test(word)) return word.length > 1 || /\p{Script=Han}/u.test(word) ? [word] : []
    // Of short words only abbreviations say something.
    const isShort = word.length < 4 && !text.includes(word.toUpperCase())
    if (isShort || word.length < 2 || isFunctionWord(word, language)) return []
    return [word.length > 6 ? word.slice(0, 6) : word.replace(/(?<=\p{L}{3})s$/u, '')]
  })
}

function candidatesOf(passages: readonly Passage[], language: string): Candidate[] {
  const candidates: Candidate[] = []
  for (const { id, index, title = '', content } of passages) {
    const about = termsOf(title, language)
    for (const { start, end } of sentenceSpans(content)) {
      if (candidates.length >= sentencesMost) return candidates
      const text = content.slice(start, end).replace(/\s+/gu, ' ')
      if (
        text.length > 400 ||
        !isEnded(text) ||
        /[?？؟]$/u.test(text) ||
        isUnspeakable(text) ||
        !/^["“„«(]?[\p{Lu}\p{Lo}\p{N}]/u.test(text)
      )
        continue
      const words = wordsOf(text, language).length
      if (words < wordsLeast || words > wordsMost) continue
      candidates.push({ text, source: { type: 'knowledge', id, index }, terms: termsOf(text, language), about, at: candidates.length })
    }
  }
  return candidates
}

/** Sentences by slide id, in the order of the background. */
export function explanations(
  slides: readonly ScriptSlide[],
  passages: readonly Passage[],
  { language, perSlideMost }: { language: string; perSlideMost: number },
): Map<string, Explanation[]> {
  const candidates = candidatesOf(passages, language)
  const chosen = new Map<string, Candidate[]>()
  if (candidates.length === 0) return new Map()
  const frequency = new Map<string, number>()
  const holders = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    for (const term of new Set(candidate.terms)) {
      frequency.set(term, (frequency.get(term) ?? 0) + 1)
      const held = holders.get(term)
      if (held === undefined) holders.set(term, [candidate])
      else held.push(candidate)
    }
  }
  // What every slide speaks of, and what every sentence speaks of, tells nothing of one of them.
  const onSlides = new Map<string, number>()
  const shown = slides.map((slide) => ({
    slide,
    title: new Set(termsOf(slide.title, language)),
    all: new Set(termsOf(`${slide.title}\n${slide.text}`, language)),
  }))
  for (const { all } of shown) for (const term of all) onSlides.set(term, (onSlides.get(term) ?? 0) + 1)
  const rarity = (term: string) =>
    Math.log(1 + candidates.length / (frequency.get(term) ?? 1)) * Math.log(1 + slides.length / (onSlides.get(term) ?? 1))
  const commonMost = Math.max(3, candidates.length / 4)
  const pairs: { slideId: string; candidate: Candidate; score: number }[] = []
  for (const { slide, title, all } of shown) {
    const found = new Map<Candidate, { score: number; terms: number; inTitle: boolean }>()
    for (const term of all) {
      if ((frequency.get(term) ?? 0) > commonMost) continue
      for (const candidate of holders.get(term) ?? []) {
        const { score, terms, inTitle } = found.get(candidate) ?? { score: 0, terms: 0, inTitle: false }
        const weight = rarity(term) * (title.has(term) ? titleWeight : 1)
        // What half the slides speak of is the subject of the talk, not of this one.
        const isOwn = title.has(term) && (onSlides.get(term) ?? 0) <= Math.max(2, slides.length / 2)
        found.set(candidate, { score: score + weight, terms: terms + 1, inTitle: inTitle || isOwn })
      }
    }
    for (const [candidate, { score, terms, inTitle }] of found) {
      const news = candidate.terms.filter((term) => !all.has(term)).length / Math.max(1, candidate.terms.length)
      // One word in common says nothing: a slide of how a talk runs is not about what a machine costs that it runs on.
      const isAbout = candidate.about.some((term) => title.has(term))
      const isMeant = isAbout || terms >= 3 || (inTitle && terms >= 2)
      if (isMeant && news >= newsLeast) pairs.push({ slideId: slide.id, candidate, score: score / Math.sqrt(candidate.terms.length) })
    }
  }
  const used = new Set<Candidate>()
  for (const { slideId, candidate } of pairs.toSorted((a, b) => b.score - a.score)) {
    const own = chosen.get(slideId) ?? []
    if (used.has(candidate) || own.length >= perSlideMost) continue
    used.add(candidate)
    chosen.set(slideId, [...own, candidate])
  }
  return new Map([...chosen].map(([id, list]) => [id, list.toSorted((a, b) => a.at - b.at).map(({ text, source }) => ({ text, source }))]))
}
