// The script as a text that somebody edits: slides in order, a sentence a line. Every act is a function from one text to the next, so
// that all of them are undone alike. Pure.
import type { ScriptFinding, ScriptSlideView } from '../data/wire.ts'

/** A sentence of the presenter's own: it keeps its place, and may be said in other words. */
export interface FixedLine {
  beatId: string
  text: string
}

export interface TextSlide {
  slideId: string
  title: string
  /** A sentence a line. */
  text: string
  isSilent: boolean
  /** To be compiled from the slide again. */
  isCompiled: boolean
  before: readonly FixedLine[]
  after: readonly FixedLine[]
}

export type ScriptText = readonly TextSlide[]

export interface Place {
  /** Of the slide in the text, from 0. */
  at: number
  /** Of the character in its text. */
  caret: number
  /** Of what is selected from there on. */
  end?: number
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const lineAt = (text: string, caret: number): number => text.slice(0, caret).split('\n').length - 1

/** Where a line begins and ends. */
export function spanOf(text: string, line: number): [start: number, end: number] {
  const lines = text.split('\n')
  const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  return [start, start + (lines[line]?.length ?? 0)]
}

export const stopOf = (language: string): string => (/^(?:ja|zh)/iu.test(language) ? '。' : '.')
const ended = /[.!?…。！？؟:][)"'”’»」]*$/u

export function textOf(slides: readonly ScriptSlideView[]): ScriptText {
  return slides.map(({ slideId, title, silent = false, sentences }) => {
    const free = sentences.filter(({ fixed }) => fixed !== true)
    const fixed = sentences.flatMap(({ beatId, text, fixed: isFixed, opening }) => (isFixed === true ? [{ beatId, text, opening }] : []))
    const plain = ({ beatId, text }: FixedLine): FixedLine => ({ beatId, text })
    return {
      slideId,
      title,
      text: free.map(({ text }) => text).join('\n'),
      isSilent: silent,
      isCompiled: false,
      before: fixed.filter(({ opening }) => opening === true).map(plain),
      after: fixed.filter(({ opening }) => opening !== true).map(plain),
    }
  })
}

const change = (script: ScriptText, at: number, to: Partial<TextSlide>): ScriptText =>
  script.map((slide, index) => (index === at ? { ...slide, ...to } : slide))

/** What is typed is said: a slide of which somebody writes is neither silent nor compiled. */
export const withText = (script: ScriptText, at: number, text: string): ScriptText =>
  change(script, at, { text, isSilent: false, isCompiled: false })

export const silenced = (script: ScriptText, at: number): ScriptText => change(script, at, { text: '', isSilent: true, isCompiled: false })

export const recompiled = (script: ScriptText, at: number): ScriptText =>
  change(script, at, { text: '', isSilent: false, isCompiled: true })

export function withFixed(script: ScriptText, at: number, beatId: string, text: string): ScriptText {
  const said = (lines: readonly FixedLine[]) => lines.map((line) => (line.beatId === beatId ? { beatId, text } : line))
  const slide = script[at]
  return slide === undefined ? script : change(script, at, { before: said(slide.before), after: said(slide.after) })
}

export interface Edited {
  text: string
  caret: number
}

/** A sentence becomes two at the caret: the first ends, the second begins. */
export function split(text: string, caret: number, language: string): Edited {
  const first = text.slice(0, caret).replace(/(?<![\s,;،、；])[\s,;،、；]+$/u, '')
  const rest = text.slice(caret).replace(/^[^\S\n]+/u, '')
  const line = first.slice(first.lastIndexOf('\n') + 1)
  const end = line === '' || ended.test(line) ? '' : stopOf(language)
  const isInside = rest !== '' && !rest.startsWith('\n')
  const begun = isInside ? rest.charAt(0).toLocaleUpperCase(language) + rest.slice(1) : rest
  const head = `${first}${end}\n`
  return { text: head + begun, caret: head.length }
}

/** A sentence goes on with the next: "A is so. B is too." becomes "A is so, B is too." for its author to join better. */
export function join(text: string, line: number, language: string): Edited {
  const [start, end] = spanOf(text, line)
  if (end >= text.length) return { text, caret: end }
  const next = spanOf(text, line + 1)
  const isUnspaced = /^(?:ja|zh)/iu.test(language)
  const first = text
    .slice(start, end)
    .trimEnd()
    .replace(/[.。]$/u, '')
  const second = text.slice(...next).trimStart()
  const comma = ended.test(first) || first === '' ? '' : isUnspaced ? '、' : language.startsWith('ar') ? '،' : ','
  const space = isUnspaced || first === '' || second === '' ? '' : ' '
  const head = text.slice(0, start) + first + (second === '' ? '' : comma) + space
  return { text: head + second + text.slice(next[1]), caret: head.length }
}

/** The line before or after, at an edge that of the slide before or after. */
export function moved(script: ScriptText, { at, caret }: Place, step: -1 | 1): { script: ScriptText; place: Place } {
  const slide = script[at]
  if (slide === undefined) return { script, place: { at, caret } }
  const lines = slide.text.split('\n')
  const from = lineAt(slide.text, caret)
  const [line = ''] = lines.splice(from, 1)
  const to = from + step
  if (to >= 0 && to <= lines.length) {
    lines.splice(to, 0, line)
    const text = lines.join('\n')
    return { script: withText(script, at, text), place: { at, caret: spanOf(text, to)[0] } }
  }
  const other = script[at + step]
  if (other === undefined || line.trim() === '') return { script, place: { at, caret } }
  const there = other.text === '' ? [] : other.text.split('\n')
  if (step === 1) there.unshift(line)
  else there.push(line)
  const text = there.join('\n')
  const next = withText(withText(script, at, lines.join('\n')), at + step, text)
  return { script: next, place: { at: at + step, caret: spanOf(text, step === 1 ? 0 : there.length - 1)[0] } }
}

export function withoutLine(text: string, line: number): Edited {
  const lines = text.split('\n').toSpliced(line, 1)
  const left = lines.join('\n')
  return { text: left, caret: spanOf(left, Math.min(line, Math.max(0, lines.length - 1)))[0] }
}

export function withLine(text: string, line: number, words: string): string {
  return text.split('\n').toSpliced(line, 1, words).join('\n')
}

export function movedSlide(script: ScriptText, from: number, to: number): ScriptText {
  const slide = script[from]
  return slide === undefined || to < 0 || to >= script.length ? script : script.toSpliced(from, 1).toSpliced(to, 0, slide)
}

/** Where words stand, in the order of the talk. */
export function found(script: ScriptText, words: string, isCaseKept: boolean): { at: number; start: number; end: number }[] {
  if (words === '') return []
  const fold = (text: string) => (isCaseKept ? text : text.toLowerCase())
  const wanted = fold(words)
  return script.flatMap(({ text }, at) => {
    const places: { at: number; start: number; end: number }[] = []
    // Of some letters the small one is longer: then only the same case is found.
    const inside = fold(text).length === text.length ? fold(text) : text
    for (let start = inside.indexOf(wanted); start >= 0; start = inside.indexOf(wanted, start + wanted.length))
      places.push({ at, start, end: start + wanted.length })
    return places
  })
}

export function replaced(script: ScriptText, places: readonly { at: number; start: number; end: number }[], words: string): ScriptText {
  let next = script
  for (const { at, start, end } of places.toReversed()) {
    const text = next[at]?.text ?? ''
    next = withText(next, at, text.slice(0, start) + words + text.slice(end))
  }
  return next
}

/** Findings whose sentence stands as it stood when it was looked at; of a slide as a whole, where its text is as it was. */
export function findingsIn(
  script: ScriptText,
  base: ScriptText,
  findings: readonly ScriptFinding[],
): (ScriptFinding & { at: number; line?: number })[] {
  return findings.flatMap((finding) => {
    const slideId = base[finding.slideIndex]?.slideId
    const at = script.findIndex((slide) => slide.slideId === slideId)
    const slide = script[at]
    if (slide === undefined) return []
    if (finding.text === undefined) return slide.text === base[finding.slideIndex]?.text && !slide.isSilent ? [{ ...finding, at }] : []
    const line = slide.text.split('\n').findIndex((each) => each.trim() === finding.text)
    return line === -1 ? [] : [{ ...finding, at, line }]
  })
}

/** Each safe fix; the last sentence of a slide stays. */
export function mended(
  script: ScriptText,
  findings: readonly { at: number; line?: number; fix?: string | null | undefined }[],
): ScriptText {
  let next = script
  const fixes = findings.flatMap(({ at, line, fix }) => (line === undefined || fix === undefined ? [] : [{ at, line, fix }]))
  for (const { at, line, fix } of fixes.toSorted((a, b) => b.at - a.at || b.line - a.line)) {
    const text = next[at]?.text ?? ''
    if (fix !== null) next = withText(next, at, withLine(text, line, fix))
    else if (linesOf(text).length > 1) next = withText(next, at, withoutLine(text, line).text)
  }
  return next
}

const sameLines = (one: readonly FixedLine[], other: readonly FixedLine[]) =>
  one.length === other.length && one.every(({ text }, index) => text === other[index]?.text)

export function isSameSlide(one: TextSlide, other: TextSlide): boolean {
  const isSameText = linesOf(one.text).join('\n') === linesOf(other.text).join('\n')
  const isSameState = one.isSilent === other.isSilent && one.isCompiled === other.isCompiled
  return isSameText && isSameState && sameLines(one.before, other.before) && sameLines(one.after, other.after)
}

export function isSame(one: ScriptText, other: ScriptText): boolean {
  return one.length === other.length && one.every((slide, at) => slide.slideId === other[at]?.slideId && isSameSlide(slide, other[at]))
}

/** What the text makes of what is there: mine where only I changed a slide, theirs where only they did; `both` where both did. */
export function merged(base: ScriptText, mine: ScriptText, theirs: ScriptText): { script: ScriptText; both: string[] } {
  const before = new Map(base.map((slide) => [slide.slideId, slide]))
  const own = new Map(mine.map((slide) => [slide.slideId, slide]))
  const both: string[] = []
  const script = theirs.map((their): TextSlide => {
    const [was, my] = [before.get(their.slideId), own.get(their.slideId)]
    if (was === undefined || my === undefined || isSameSlide(my, was)) return their
    if (!isSameSlide(their, was) && !isSameSlide(their, my)) both.push(their.slideId)
    // Sentences of the presenter's own have the ids of now.
    const fixed = (lines: readonly FixedLine[], mineOf: readonly FixedLine[]) =>
      lines.map((line, at) => ({ ...line, text: mineOf[at]?.text ?? line.text }))
    return { ...my, before: fixed(their.before, my.before), after: fixed(their.after, my.after) }
  })
  const isMoved = mine.some((slide, at) => slide.slideId !== base[at]?.slideId)
  if (!isMoved) return { script, both }
  const order = new Map(mine.map(({ slideId }, at) => [slideId, at]))
  return { script: script.toSorted((a, b) => (order.get(a.slideId) ?? Infinity) - (order.get(b.slideId) ?? Infinity)), both }
}

interface WireSlide {
  slideId: string
  silent?: boolean
  sentences?: { beatId?: string; text: string }[]
}

/** As `PUT .../script` takes it. A sentence that was put otherwise in its place keeps its id, and with it what it rests on. */
export function wireOf(script: ScriptText, base: readonly ScriptSlideView[]): WireSlide[] {
  const before = new Map(base.map((slide) => [slide.slideId, slide.sentences.filter(({ fixed }) => fixed !== true)]))
  return script.map(({ slideId, text, isSilent, isCompiled, before: opening, after }) => {
    if (isCompiled) return { slideId }
    const own = isSilent ? [] : paired(linesOf(text), before.get(slideId) ?? [])
    return { slideId, silent: isSilent, sentences: [...opening, ...own, ...after].filter((sentence) => sentence.text.trim() !== '') }
  })
}

function paired(lines: readonly string[], were: readonly { beatId: string; text: string }[]): { beatId?: string; text: string }[] {
  const left = new Set(were.map(({ beatId }) => beatId))
  const same = lines.map((text) => {
    const was = were.find((each) => each.text === text && left.has(each.beatId))
    if (was !== undefined) left.delete(was.beatId)
    return was?.beatId
  })
  const isOneForOne = lines.length === were.length
  return lines.map((text, at) => {
    const inPlace = isOneForOne ? were[at]?.beatId : undefined
    const beatId = same[at] ?? (inPlace !== undefined && left.has(inPlace) ? inPlace : undefined)
    return { text, ...(beatId !== undefined && { beatId }) }
  })
}
