// Finds what a listener would stumble over in a script, each with its place, a reason in words and, where nothing is lost by it, a
// fix. Pure; the compiler leaves the same things out (spoken-words.ts), the editor and the rehearsal say them.
import type { Beat } from '@rostrum/contract/beat'
import { baseLanguage, languageOf } from '@rostrum/languages/languages'
import { piecesOf } from '@rostrum/deck/block'
import type { Piece } from '@rostrum/contract/block'
import type { SlideText } from '@rostrum/contract/content'
import { inOneGo } from '@rostrum/base/work'
import { detectLanguage } from '@rostrum/deck/language'
import {
  beginsInside,
  countWords,
  holdsAddress,
  isCode,
  isEnded,
  isFragment,
  isFurniture,
  isJunk,
  isStatement,
  keyOf,
  sentenceWordsMost,
} from './spoken-words.ts'
import { repeatedPieces } from './telling.ts'

export const lintCodes = [
  'fragment',
  'furniture',
  'label',
  'address',
  'junk',
  'verbatim_bullet',
  'repeat',
  'too_long',
  'too_dense',
  'number_without_unit',
  'unknown_abbreviation',
  'wrong_language',
  'silent_slide',
  'poll',
] as const
export type LintCode = (typeof lintCodes)[number]

export interface Finding {
  code: LintCode
  slideIndex: number
  /** The sentence; absent where the slide as a whole is meant. */
  beatId?: string
  text?: string
  /** For a person. */
  detail: string
  /** What the sentence may be replaced with, a sentence a line; null: left out. Only where nothing is lost by it. */
  fix?: string | null
}

export interface LintBeat extends Pick<Beat, 'beatId' | 'slideIndex' | 'text' | 'estMs' | 'waitMs' | 'resultOf'> {
  kind: string
  pauseMs?: number
  poll?: object
}

export interface LintInput {
  language: string
  /** `wrongPolls`: what is wrong with directives of its notes, in words; the notes themselves never come here. */
  slides: readonly (Pick<SlideText, 'index' | 'title' | 'text' | 'blocks'> & { wrongPolls?: readonly string[] })[]
  beats: readonly LintBeat[]
  /** Background, where an abbreviation may be written out. */
  passages?: readonly { content: string }[]
}

/** How much of a sentence each takes from who listens: 1 all of it. */
const weights: Readonly<Record<LintCode, number>> = {
  fragment: 1,
  furniture: 1,
  label: 1,
  address: 1,
  junk: 1,
  verbatim_bullet: 1,
  repeat: 1,
  too_long: 0.5,
  too_dense: 2,
  number_without_unit: 0.3,
  unknown_abbreviation: 0.1,
  wrong_language: 1,
  silent_slide: 0.5,
  poll: 1,
}

const slideSecondsMost = 90
const slideSentencesMost = 12
/** What everybody says letter by letter. */
const known = new Set(
  'AI API APP CD CEO CFO CI CLI CPU CSS CSV CTO DB DIY DNA DNS EU EUR FAQ GB GBP GDP GPS GPU HR HTML HTTP HTTPS ID IP IT JS JSON KPI LAN LED MB ML MP3 NASA NATO NGO OK OS OSS PC PDF PIN PR QA RAM ROI SDK SMS SQL SSH SSL TCP TLS TV UI UK UN URL US USA USB USD UX VAT VIP VM VPN WHO WLAN XML YAML'.split(
    ' ',
  ),
)

/** Findings in the order of the talk. */
export const lintScript = (input: LintInput): Finding[] => inOneGo(lintInSteps(input))

/** The same for a script of any length, in turns with what else there is to do. */
export function* lintInSteps(input: LintInput): Generator<undefined, Finding[]> {
  const { language, slides, beats } = input
  const everywhere = yield* repeatedPieces(slides)
  const heard = new Map<string, number>()
  const bullets = new Map<number, ReadonlySet<string>>()
  for (const slide of slides) {
    bullets.set(slide.index, bulletsOf(slide, language))
    yield
  }
  const findings: Finding[] = []
  for (const [at, beat] of beats.entries()) {
    if (at % beatsAtOnce === 0) yield
    if (beat.kind === 'opening' || beat.kind === 'closing' || beat.kind === 'cta' || beat.text === '' || beat.resultOf !== undefined)
      continue
    const found = fault(beat, { language, everywhere, heard, bullets: bullets.get(beat.slideIndex) ?? new Set() })
    if (found !== undefined) findings.push({ slideIndex: beat.slideIndex, beatId: beat.beatId, text: beat.text, ...found })
  }
  const all = [...findings, ...(yield* abbreviations(input)), ...slideFindings(input)]
  const order = new Map(beats.map(({ beatId }, at) => [beatId, at]))
  return all.toSorted((a, b) => a.slideIndex - b.slideIndex || (order.get(a.beatId ?? '') ?? -1) - (order.get(b.beatId ?? '') ?? -1))
}

/** 0..1: what is left of a talk for who listens, by its slides or as a whole. */
export function lintScore(findings: readonly Finding[], beats: readonly LintBeat[]): number {
  const sentences = beats.filter(({ kind, text }) => kind !== 'opening' && kind !== 'closing' && kind !== 'cta' && text !== '').length
  const lost = findings.reduce((sum, { code }) => sum + weights[code], 0)
  // Half of the sentences lost, and nobody listens to the other half.
  return sentences === 0 ? 0 : Math.max(0, 1 - (2 * lost) / sentences)
}

const beatsAtOnce = 20

interface Known {
  language: string
  everywhere: ReadonlySet<string>
  heard: Map<string, number>
  bullets: ReadonlySet<string>
}

function fault(beat: LintBeat, { language, everywhere, heard, bullets }: Known): Pick<Finding, 'code' | 'detail' | 'fix'> | undefined {
  const { text, kind, slideIndex } = beat
  const bare = text.replace(/(?<![.。\s])[.。\s]{1,3}$/u, '')
  const key = keyOf(bare)
  const words = countWords(bare, language)
  const before = heard.get(key)
  heard.set(key, before ?? slideIndex)
  if (isFurniture(bare) || everywhere.has(key))
    return { code: 'furniture', detail: 'This belongs to the layout of the page, not to the talk.', fix: null }
  if (holdsAddress(bare))
    return { code: 'address', detail: 'Nobody can write down an address that is read out: say that it is on the slide.' }
  if (isJunk(bare) || isCode(bare)) return { code: 'junk', detail: 'This is code, or signs that cannot be said.', fix: null }
  const isQuestion = /[?？؟]$/u.test(bare) || beat.waitMs !== undefined
  if (kind !== 'title' && words <= 2 && !isQuestion)
    return { code: 'label', detail: 'A word or two alone say nothing to who listens.', fix: null }
  if (words >= 3 && before !== undefined && before !== slideIndex)
    return { code: 'repeat', detail: `Slide ${before + 1} has said the same.`, fix: null }
  if (isFragment(bare, language) || (beginsInside(bare) && kind !== 'title'))
    return { code: 'fragment', detail: 'The sentence begins or ends in the middle.' }
  if (bullets.has(key))
    return {
      code: 'verbatim_bullet',
      detail: 'A point is read out as it stands on the slide: say what it means, or say it with the others.',
    }
  if (words > sentenceWordsMost)
    return {
      code: 'too_long',
      detail: `${words} words in one sentence: nobody holds more than ${sentenceWordsMost}.`,
      ...parted(text, language),
    }
  if (/(?:^|\s)\d[\d.,]*$/u.test(bare) && !isNamedNumber(bare))
    return { code: 'number_without_unit', detail: 'The number at the end says not of what.' }
  return isOtherLanguage(text, language)
    ? { code: 'wrong_language', detail: `This is not ${nameOf(language)}, the language of the talk.` }
    : undefined
}

const joint =
  /[;；]\s?|[,،]\s(?=(?:and|but|so|yet|und|aber|doch|denn|et|mais|donc|car|y|pero|así que|e|mas|portanto|لكن)\s)|،\s(?=و)|(?<=\p{L}{3}\)?):\s/gu
const halfWordsLeast = 6

/** The two halves of a long sentence, where each stands alone: at a semicolon, a colon, or a comma before "and". */
function parted(text: string, language: string): Pick<Finding, 'fix'> {
  const halves = [...text.matchAll(joint)].flatMap(({ index, 0: mark }): [string, string][] => {
    const [first, second] = [text.slice(0, index), text.slice(index + mark.length)]
    const isEven = [first, second].every((half) => {
      const words = countWords(half, language)
      return words >= halfWordsLeast && words <= sentenceWordsMost
    })
    // How the second half ends, its author wrote.
    return isEven && !isFragment(first, language) ? [[first, second]] : []
  })
  const [best] = halves.toSorted((a, b) => Math.abs(a[0].length - a[1].length) - Math.abs(b[0].length - b[1].length))
  if (best === undefined) return {}
  const [first, second] = best
  return { fix: `${first}${languageOf(language).script.stop}\n${second.charAt(0).toUpperCase()}${second.slice(1)}` }
}

/** A year, a version, the number of a part. */
const isNamedNumber = (text: string): boolean => /(?:^|\s)(?:1[5-9]|20)\d\d$/u.test(text) || /\p{L}[\p{L}.]{0,20}\s\d[\d.]*$/u.test(text)

/** Below so many characters, names and terms decide what a text seems to be. */
const surelyRead = 120

const nameOf = (language: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(baseLanguage(language)) ?? language

function isOtherLanguage(text: string, language: string): boolean {
  if (text.length < surelyRead) return false
  const found = detectLanguage([text])
  return found !== undefined && found !== baseLanguage(language)
}

/** Points that are no sentences: read out one by one they are a list, not a talk. */
function bulletsOf({ blocks }: LintInput['slides'][number], language: string): Set<string> {
  const pieces = blocks.flatMap((block) => (block.kind === 'quote' ? [] : piecesOf<Piece>(block)))
  return new Set(pieces.filter(({ text }) => !isEnded(text) && !isStatement(text, language)).map(({ text }) => keyOf(text)))
}

/** Each once, where it is first said. */
function* abbreviations({ slides, beats, passages = [] }: LintInput): Generator<undefined, Finding[]> {
  const written = [...slides.map(({ text }) => text), ...passages.map(({ content }) => content)].join('\n')
  const told = new Set<string>()
  const findings: Finding[] = []
  for (const [at, { beatId, slideIndex, text, kind }] of beats.entries()) {
    if (at % beatsAtOnce === 0) yield
    if (kind === 'opening' || kind === 'closing') continue
    // Loud words side by side are a heading.
    for (const [short] of text.matchAll(/(?<![\p{L}\p{N}]|\p{Lu}{2} )\p{Lu}{2,6}(?! \p{Lu}{2}|[\p{L}\p{N}])/gu)) {
      if (known.has(short) || told.has(short) || isShouting(text)) continue
      told.add(short)
      // "Service level agreement (SLA)" or "SLA (service ...": the deck writes it out.
      if (written.includes(`(${short})`) || written.includes(`${short} (`) || written.includes(`${short}: `)) continue
      const detail = `${short} is said letter by letter, and nothing says what it is short for.`
      findings.push({ code: 'unknown_abbreviation', slideIndex, beatId, text, detail })
    }
  }
  return findings
}

const isShouting = (text: string): boolean => !/\p{Ll}{2}/u.test(text)

function slideFindings({ slides, beats }: LintInput): Finding[] {
  const beatsOf = Map.groupBy(beats, ({ slideIndex }) => slideIndex)
  return slides.flatMap(({ index, blocks, wrongPolls = [] }): Finding[] => {
    const own = beatsOf.get(index) ?? []
    const polls = wrongPolls.map((detail): Finding => ({ code: 'poll', slideIndex: index, detail }))
    const narrated = own.filter(({ kind, resultOf }) => (kind === 'narration' || kind === 'title') && resultOf === undefined)
    // Nobody is bored while they answer.
    const seconds = own.reduce((sum, { estMs, pauseMs = 0, waitMs = 0, poll }) => sum + estMs + pauseMs + (poll ? 0 : waitMs), 0) / 1_000
    if (seconds > slideSecondsMost || narrated.length > slideSentencesMost) {
      const detail = `${narrated.length} sentences in ${Math.round(seconds)} s over one picture: split the slide, or say less.`
      return [...polls, { code: 'too_dense', slideIndex: index, detail }]
    }
    const isEdge = own.length > narrated.length
    if (narrated.length > 0 || blocks.length === 0 || isEdge) return polls
    return [...polls, { code: 'silent_slide', slideIndex: index, detail: 'Nothing is said of what stands on this slide.' }]
  })
}
