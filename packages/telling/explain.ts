// Finds, for each slide, what the background material says more of it: sentences that speak of the slide's terms and are not on it.
// Each sentence is used once in a talk, where it fits best.
import type { Passage } from '@rostrum/contract/content'
import { languageOf } from '@rostrum/languages/languages'
import type { Source } from '@rostrum/contract/room'
import { sentenceSpans } from '@rostrum/deck/sentences'
import type { ScriptSlide } from './beat.ts'
import {
  countWords,
  hasVerb,
  isArticle,
  isEnded,
  isFragment,
  isFunctionWord,
  isReference,
  isUnspeakable,
  keyOf,
  wordsOf,
} from './spoken-words.ts'

export interface Explanation {
  text: string
  source: Source
}

const wordsLeast = 6
const wordsMost = 42
/** Of the background, in the order it was given. */
const sentencesMost = 3_000
/** Of the content words of a sentence, the share that must be news to who reads the slide. */
const newsLeast = 0.5
const titleWeight = 2
const headingWeight = 3
const labelWordsMost = 12
/** In common with a slide, where its title is not among them. */
const termsLeast = 4
const termsFew = 8
const wrappedLeast = 45

interface Candidate extends Explanation {
  terms: readonly string[]
  /** The same, each once. */
  kinds: readonly string[]
  /** What its passage is about, by its title. */
  about: readonly string[]
  /** Slides whose title stands above it: it is told of these or of none. */
  home: ReadonlySet<string>
  at: number
  /** "It is ...": says nothing without the sentence before it. */
  leans: boolean
  /** Begins with what it speaks of, not with "we" or "if". */
  names: boolean
  /** A point of a list is less than a sentence of prose: what stands above the list is not told with it. */
  isItem: boolean
  /** "Rostrum is ...": the term that it defines. */
  defined?: string | undefined
  before?: Candidate | undefined
  /** The one that goes on from it. */
  next?: Candidate
}

interface Shown {
  slide: ScriptSlide
  title: ReadonlySet<string>
  all: ReadonlySet<string>
}

/** Words that carry meaning, cut to what their forms have in common. */
export function termsOf(text: string, language: string): string[] {
  const { empty, weak } = languageOf(language).words
  const isCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return wordsOf(text, language).flatMap((word) => {
    if (isCharacter.test(word)) return word.length > 1 || /\p{Script=Han}/u.test(word) ? [word] : []
    // Of short words only abbreviations say something.
    const isShort = word.length < 4 && !text.includes(word.toUpperCase())
    if (isShort || word.length < 2 || isFunctionWord(word, language) || empty.includes(word) || weak.includes(word)) return []
    return [word.length > 6 ? word.slice(0, 6) : word.replace(/(?<=\p{L}{3})s$/u, '')]
  })
}

interface Paragraph {
  text: string
  isItem: boolean
}

/** What its lines say: wrapped ones together, items of a list apart, neither tables nor code. */
function paragraphsOf(content: string, language: string): Paragraph[] {
  const parts: Paragraph[] = []
  // As long as a line that was wrapped; a shorter one is a heading unless the next goes on small.
  let before = 0
  let isCode = false
  for (const line of content.split('\n')) {
    const text = line.trim().replace(/^(?:>\s?){1,3}/u, '')
    if (/^(?:```|~~~)/u.test(text)) isCode = !isCode
    const item = /^(?:[-*+•]|\d{1,2}[.)])\s+/u.exec(text)?.[0] ?? ''
    const isWords = !isCode && text !== '' && !/^(?:[|`~#]|:?-{3})/u.test(text)
    const last = parts.at(-1)
    const goesOn = before >= wrappedLeast || (before > 0 && (/^\p{Ll}/u.test(text) || isFragment(last?.text ?? '', language)))
    if (isWords && goesOn && item === '' && last !== undefined) last.text += ` ${text}`
    else if (isWords) parts.push({ text: text.slice(item.length), isItem: item !== '' })
    before = isWords ? line.length : 0
  }
  return parts
}

/** Speaks of the page that it stands on, or sends its reader somewhere. */
const pointing =
  /(?<!\p{L})(?:this (?:doc\p{L}*|page|article|readme|repository|section|table)|the following|(?:shown|listed|enumerated|described|mentioned|see|as) (?:below|above)|mentions in|(?:described|shown|explained) in|see (?:the|our|also)|can be found|click|for more (?:details|information)|to learn more|licen[cs]ed under|documentation (?:website|page)|in (?:more|greater) details?|further (?:details|information)|siehe|folgende[nrs]?|im folgenden|voir|ci-(?:dessous|dessus)|véase|siguientes?|veja|a seguir)(?!\p{L})|^(?:note|nota|hinweis)\s?:|^(?:my|I(?:['’]m)?|mein\p{L}{0,2}|ich|mon|ma|mes|je|mis?|yo|meu|minha|eu)\s|以下|如下|参见|下記|التالي/iu

/** The slides that a line above sentences names: most of its words are those of their title, and most of these its own. */
function namedBy(label: string, shown: readonly Shown[], language: string): ReadonlySet<string> {
  const terms = new Set(countWords(label, language) > labelWordsMost ? [] : termsOf(label, language))
  const isTitle = ({ title }: Shown) => {
    const common = terms.intersection(title).size
    return common > 0 && common >= terms.size * 0.66 && common >= title.size * 0.5
  }
  return new Set(shown.filter(isTitle).map(({ slide }) => slide.id))
}

function candidatesOf(passages: readonly Passage[], shown: readonly Shown[], language: string): Candidate[] {
  const candidates: Candidate[] = []
  const heard = new Set<string>()
  for (const { id, index, title = '', content } of passages) {
    const about = termsOf(title, language)
    let home = namedBy(title.split(': ').at(-1) ?? '', shown, language)
    for (const { text: paragraph, isItem } of paragraphsOf(content, language)) {
      if (!isEnded(paragraph)) {
        const named = namedBy(paragraph, shown, language)
        if (named.size > 0) home = named
      }
      let before: Candidate | undefined
      for (const { start, end } of sentenceSpans(paragraph)) {
        if (candidates.length >= sentencesMost) return candidates
        const text = paragraph.slice(start, end).replace(/\s+/gu, ' ')
        if (!isTold(text, language) || (isItem && !isWholeItem(text, language)) || heard.has(keyOf(text))) {
          before = undefined
          continue
        }
        heard.add(keyOf(text))
        const source = { type: 'knowledge' as const, id, index }
        const leans = isReference(text) || /\s(?:these|those|diese[nrm]?|ces|estos|estas|esses|estes)\s/iu.test(text)
        // What goes on is about what it goes on from.
        const terms = [...(leans ? (before?.terms ?? []) : []), ...termsOf(text, language)]
        const defined = definedBy(text, terms, language)
        const candidate: Candidate = {
          text,
          source,
          terms,
          kinds: [...new Set(terms)],
          about,
          home,
          at: candidates.length,
          leans,
          names: isNaming(text, language),
          isItem,
          defined,
          before,
        }
        if (before !== undefined) before.next = candidate
        candidates.push(candidate)
        before = candidate
      }
    }
  }
  return candidates
}

/** "To be of use to all" goes on from what stands above its list. */
function isWholeItem(text: string, language: string): boolean {
  const [first = ''] = wordsOf(text, language)
  return hasVerb(text, language) && (isArticle(first) || !isFunctionWord(first, language))
}

/** Begins with what it speaks of, not with "we", "if" or "to". */
function isNaming(text: string, language: string): boolean {
  const [first = ''] = wordsOf(text, language)
  return isArticle(first) || !languageOf(language).words.empty.includes(first)
}

/** What stands before the first verb, among the first words. */
function definedBy(text: string, terms: readonly string[], language: string): string | undefined {
  const { finite } = languageOf(language).words
  const words = wordsOf(text, language)
  const at = words.findIndex((word) => finite.includes(word))
  return at < 1 || at > 3 ? undefined : terms.slice(0, at).find((term) => words[at - 1]?.startsWith(term))
}

/** A whole sentence of the subject, not too long to be listened to. */
function isTold(text: string, language: string): boolean {
  if (text.length > 400 || !isEnded(text) || /[?？؟]$/u.test(text) || isUnspeakable(text) || pointing.test(text)) return false
  // "Defined by: the owners of a file" is an entry of a form.
  if (/^[^:]{1,25}:\s/u.test(text) && !hasVerb(text, language)) return false
  const words = wordsOf(text, language).length
  return words >= wordsLeast && words <= wordsMost && /^["“„«(]?(?:[\p{Lu}\p{Lo}\p{N}]|\p{Ll}{1,20}\p{Lu})/u.test(text)
}

/** Sentences by slide id, in the order of the background. */
export function explanations(
  slides: readonly ScriptSlide[],
  passages: readonly Passage[],
  { title: talk, language, perSlideMost }: { title: string; language: string; perSlideMost: number },
): Map<string, Explanation[]> {
  if (passages.length === 0) return new Map()
  const shown = slides.map((slide, at): Shown => ({
    slide,
    title: new Set(termsOf([isUnspeakable(slide.title) ? '' : slide.title, ...(at === 0 ? [talk] : [])].join('\n'), language)),
    all: new Set(termsOf(`${slide.title}\n${slide.text}`, language)),
  }))
  const candidates = candidatesOf(passages, shown, language)
  const frequency = counted(candidates.map(({ terms }) => terms))
  // What every slide speaks of, and what every sentence speaks of, tells nothing of one of them.
  const onSlides = counted(shown.map(({ all }) => all))
  const passagesAbout = new Map(candidates.map(({ source, about }) => [source.id, about]))
  const headings = counted([...passagesAbout.values()])
  const rarity = (term: string) =>
    Math.log(1 + candidates.length / (frequency.get(term) ?? 1)) * Math.log(1 + slides.length / (onSlides.get(term) ?? 1))
  // What half the slides speak of is the subject of the talk, not of this one.
  const isOwn = (term: string) => (onSlides.get(term) ?? 0) <= Math.max(2, slides.length / 2)
  const tells = (term: string) => (headings.get(term) ?? 0) <= Math.max(1, passagesAbout.size / 3) && isOwn(term)
  const commonMost = Math.max(3, candidates.length / 4)
  const pairs: { slideId: string; candidate: Candidate; score: number }[] = []
  const subject = shown[0]?.title ?? new Set()
  for (const [at, { slide, title, all }] of shown.entries()) {
    const asksSubject = at > 0 && title.size > 0 && title.isSubsetOf(subject)
    for (const candidate of candidates) {
      if ((candidate.leans && candidate.before === undefined) || (at > 0 && candidate.home.size > 0 && !candidate.home.has(slide.id)))
        continue
      const common = candidate.kinds.filter((term) => all.has(term) && (title.has(term) || (frequency.get(term) ?? 0) <= commonMost))
      const ofTitle = common.filter((term) => title.has(term))
      const about = candidate.about.filter((term) => title.has(term) && tells(term))
      // Whose subject stands in the title defines it; a slide that asks for the subject of the talk is told of that.
      const [named = ''] = candidate.terms
      const isNamed = candidate.names && candidate.terms.slice(0, 2).some((term) => title.has(term) && isOwn(term))
      const defines = isNamed || (asksSubject && title.has(named))
      // Before the talk has begun it is said what it is about, and no more.
      const isSubject = at > 0 || (candidate.defined !== undefined && title.has(candidate.defined))
      const isMeant =
        candidate.home.size > 0 ||
        (about.length > 0 && (2 * about.length >= title.size ? common.length > 0 : common.length > 1)) ||
        defines ||
        common.length >= (ofTitle.length > 0 ? termsLeast - 1 : termsLeast + 1) ||
        (common.length >= 2 && ofTitle.some(isOwn) && 3 * ofTitle.length >= title.size) ||
        // A slide of a few words speaks of each of them.
        (all.size <= termsFew && common.filter(isOwn).length >= Math.max(1, Math.min(2, title.size))) ||
        at === 0
      const news = candidate.terms.filter((term) => !all.has(term)).length / Math.max(1, candidate.terms.length)
      if (!isMeant || !isSubject || news < newsLeast) continue
      // One word in common says nothing: a slide of how a talk runs is not about what a machine costs that it runs on.
      const score =
        common.reduce((sum, term) => sum + rarity(term) * (title.has(term) ? titleWeight : 1), 0) +
        about.reduce((sum, term) => sum + rarity(term) * headingWeight, 0)
      const worth = (defines ? titleWeight : 1) / (candidate.isItem ? 2 : 1)
      pairs.push({ slideId: slide.id, candidate, score: (score / Math.sqrt(candidate.terms.length)) * worth })
    }
  }
  const used = new Set<Candidate>()
  const chosen = new Map<string, Candidate[]>()
  // Where its page stands under the title of the slide, one more is on the subject.
  const mostOf = (slideId: string, { home }: Candidate) => perSlideMost + (home.has(slideId) ? 1 : 0)
  const take = (slideId: string, candidate: Candidate | undefined) => {
    if (candidate?.leans === true && chosen.get(slideId)?.includes(candidate.before as Candidate) !== true) {
      if (used.has(candidate) || (chosen.get(slideId)?.length ?? 0) + 2 > mostOf(slideId, candidate)) return
      take(slideId, candidate.before)
      if (chosen.get(slideId)?.includes(candidate.before as Candidate) !== true) return
    }
    const own = chosen.get(slideId) ?? []
    if (candidate === undefined || used.has(candidate) || own.length >= mostOf(slideId, candidate)) return
    used.add(candidate)
    chosen.set(slideId, [...own, candidate])
  }
  // What the background says first of its subject opens the talk.
  const [cover] = slides
  const first = pairs.filter(({ slideId }) => slideId === cover?.id).toSorted((a, b) => a.candidate.at - b.candidate.at)[0]
  if (first !== undefined) take(first.slideId, first.candidate)
  for (const { slideId, candidate } of pairs.filter((pair) => pair.slideId !== cover?.id).toSorted((a, b) => b.score - a.score))
    take(slideId, candidate)
  // What goes on from one that was chosen explains it.
  const goesOn = ({ kinds }: Candidate, next: Candidate) =>
    next.kinds.some((term) => kinds.includes(term) && (frequency.get(term) ?? 0) <= commonMost)
  for (const [slideId, own] of chosen)
    for (const one of own) if (one.next && (one.next.leans || (slideId !== slides[0]?.id && goesOn(one, one.next)))) take(slideId, one.next)
  return new Map([...chosen].map(([id, list]) => [id, list.toSorted((a, b) => a.at - b.at).map(({ text, source }) => ({ text, source }))]))
}

/** In how many of the lists each term stands. */
export function counted(lists: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const list of lists) for (const term of new Set(list)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
