// Presents the blocks of one slide: what a person would say of it, in an order and a length that can be listened to. Nothing is said
// that the blocks do not hold.
import { fill } from '@rostrum/languages/languages'
import { drawnWords } from '@rostrum/deck/block'
import type { Block, ListItem, Piece } from '@rostrum/contract/block'
import { sentenceSpans } from '@rostrum/deck/sentences'
import type { ScriptSlide } from './beat.ts'
import { pictureRank, presentFigure, presentTable } from './present-figure.ts'
import { beginsInside, countWords, isEnded, isFragment, isStatement, isUnspeakable, keyOf } from './spoken-words.ts'
import {
  commaOf,
  countWord,
  inside,
  isTangled,
  joined,
  mayBeSaid,
  said,
  type Telling,
  turn,
  type Unit,
  withoutStop,
  led,
  ledBy,
  wordsToTell,
} from './telling.ts'

/** Of a grouped list, in one sentence. */
const groupWordsMost = 24
const ledWordsMost = 32
/** More than this many points are counted, and two of them said. */
const pointsMost = 6
const leadWordsMost = 8
/** More, of a word or two each, are names. */
const crowdMost = 12
const nameWordsMean = 2.5
const announcedWordsMost = 18
/** So many items are looked at; a list is said in a few sentences, however long it is. */
const itemsMost = 60

/** Below everything that is said of the slide itself. */
const pointerRank = 20

interface Point {
  text: string
  piece: Piece
}

export interface Place {
  emphasis: readonly string[]
  /** Thanks, and where to ask. */
  isLast?: boolean
}

interface Told extends Place {
  /** Of several numbered lists on one slide none is counted off: "first" twice is no order. */
  hasOrder: boolean
}

/** What is said of the slide below its title. */
export function presentBlocks(slide: ScriptSlide, telling: Telling, { emphasis, isLast }: Place): Unit[] {
  const blocks = wordsToTell(slide, telling)
  const place = { emphasis, hasOrder: blocks.filter(isNumbered).length === 1 }
  const drawn = drawnWords(blocks)
  const units: Unit[] = []
  let lead: Point | undefined
  for (let at = 0; at < blocks.length;) {
    const block = blocks[at]
    if (block === undefined) break
    if (block.kind === 'paragraph' && drawn.has(block)) {
      // A heading above a word of a drawing is one of its words.
      lead = undefined
      at += 1
      continue
    }
    const run = shortRun(blocks, at, telling)
    if (run.length > 0) {
      at += run.length
      const next = blocks[at]
      const isLead = next !== undefined && leadsTo(run.at(-1), next, run.length, telling)
      units.push(...presentLoose(isLead ? run.slice(0, -1) : run, telling, place, lead))
      lead = isLead ? pointOf(run.at(-1), telling) : undefined
      continue
    }
    at += 1
    if (block.kind === 'heading' || (block.kind === 'paragraph' && announces(block, blocks[at], telling))) {
      lead = pointOf(block, telling)
      continue
    }
    const before = units.length
    units.push(...presentBlock(block, telling, place, lead))
    if (units.length > before) lead = undefined
  }
  // A drawing of which nothing else is said is told by its main parts.
  if (units.length === 0 && !isLast && !blocks.some(({ kind }) => kind === 'figure'))
    units.push(...presentFigure({ kind: 'figure', shows: 'diagram', labels: [...drawn] }, telling))
  // Where to look is said after what there is to hear, and nothing is said twice.
  const pictures = units.filter(({ rank }) => rank === pictureRank)
  const heard = new Set<string>()
  const spoken = units.filter((unit) => {
    const isAgain = unit.text !== '' && heard.has(unit.text)
    heard.add(unit.text)
    return !isAgain && !pictures.includes(unit)
  })
  // A picture or a drawing beside words is seen while they are heard; alone, it is described.
  if (spoken.every(({ text, rank }) => text === '' || rank >= pointerRank)) spoken.unshift(...pictures.slice(0, 1))
  const isPointer = ({ rank }: Unit) => rank >= pointerRank
  return [...spoken.filter((unit) => !isPointer(unit)), ...spoken.filter(isPointer)]
}

const isNumbered = (block: Block): boolean => block.kind === 'list' && block.items.some(({ isOrdered }) => isOrdered === true)

/** "After this lesson you will be able to:" is said with the first thing after it. */
function announces({ text }: Piece, next: Block | undefined, { language }: Telling): boolean {
  if (!/[:：]\s*$/u.test(text) || countWords(text, language) > announcedWordsMost) return false
  return next?.kind === 'list' || next?.kind === 'paragraph'
}

/** Short words of which nobody says what they are: the labels of a drawing where there are many, else points if a title or a lead goes before. */
function presentLoose(run: readonly Piece[], telling: Telling, place: Told, lead: Point | undefined): Unit[] {
  const points = pointsOf(run, telling)
  if (points.length === 0) return []
  // Of many that nobody counted two say nothing.
  const worth = points.filter(({ text }) => countWords(text, telling.language) >= 2)
  const saysMuch = lead !== undefined || worth.every(({ text }) => /[:：\d]/u.test(text))
  if (!saysMuch && points.length > pointsMost) return []
  return grouped(worth, telling, place, lead).map((unit) => (saysMuch ? unit : { ...unit, text: '' }))
}

/** Paragraphs from `at` that are no statements. */
function shortRun(blocks: readonly Block[], at: number, { language }: Telling): Piece[] {
  const run: Piece[] = []
  for (const block of blocks.slice(at)) {
    if (block.kind !== 'paragraph' || isStatement(block.text, language)) break
    run.push(block)
  }
  return run
}

/** Does it announce what follows? */
function leadsTo(piece: Piece | undefined, next: Block, run: number, telling: Telling): boolean {
  if (piece === undefined || countWords(piece.text, telling.language) > leadWordsMost) return false
  if (/[:：]\s*$/u.test(piece.text)) return true
  if (next.kind === 'list' || next.kind === 'table') return !/[:：\d]/u.test(piece.text)
  return next.kind === 'paragraph' && run === 1 && !/^\p{Ll}/u.test(next.text)
}

function pointOf(piece: Piece | undefined, telling: Telling): Point | undefined {
  if (piece === undefined || isUnspeakable(piece.text) || telling.everywhere.has(keyOf(piece.text))) return undefined
  const text = withoutStop(said(piece.text, telling))
  // What a colon ends is no fragment, whatever its last word is: it goes on with what follows.
  const isOpen = /[:：]\s*$/u.test(piece.text)
  return text === '' || isFragment(isOpen ? `${text} 0` : text, telling.language) ? undefined : { text, piece }
}

/** Those that can be said; a run that was broken out of prose gives none. */
function pointsOf(pieces: readonly Piece[], telling: Telling): Point[] {
  const isBroken = (piece: Piece) => isFragment(piece.text, telling.language)
  if (pieces.some((piece, at) => isBroken(piece) || (at > 0 && beginsInside(piece.text)))) return []
  return pieces.flatMap((piece) => (mayBeSaid(piece, telling) ? (pointOf(piece, telling) ?? []) : []))
}

function presentBlock(block: Block, telling: Telling, place: Told, lead: Point | undefined): Unit[] {
  const { phrases, turns } = telling
  switch (block.kind) {
    case 'list':
      return presentList(block.items, telling, place, lead)
    case 'paragraph':
      return presentProse(block, telling, lead)
    case 'quote':
      return presentProse(
        block,
        telling,
        block.by === undefined ? lead : { text: fill(phrases.quoted, { by: block.by, text: '' }), piece: block },
      )
    case 'table':
      return presentTable(block, telling, place)
    case 'figure':
      return presentFigure(block, telling)
    case 'code': {
      // Once is enough, as of an address: whoever reads code reads it.
      const text = phrases.code
      if (turn(telling, 'code') > 0) return []
      return [{ kind: 'narration', text, led: led(text, telling), pieces: [block], rank: pointerRank }]
    }
    case 'link': {
      // Once is enough: what an address looks like, everybody knows.
      const text = phrases.link
      if (turns.has('link')) return []
      turn(telling, 'link')
      return [{ kind: 'narration', text, led: led(text, telling), pieces: [block], rank: pointerRank }]
    }
    case 'heading':
      return []
  }
}

/** "City: Guadalajara" below "Location": the colon is taken, so that what is said of a label stands in brackets. */
function labelled(text: string): string {
  const [label = '', ...rest] = text.split(/[:：]\s/u)
  const value = rest.join(', ')
  if (value === '') return text
  return /[()（）]/u.test(text) ? `${label}, ${value}` : `${label} (${withoutStop(value)})`
}

function presentProse(block: Piece, telling: Telling, lead: Point | undefined): Unit[] {
  if (!mayBeSaid({ ...block, text: block.text.slice(0, 400) }, telling) && isUnspeakable(block.text.slice(0, 60))) return []
  const units: Unit[] = []
  for (const { start, end } of sentenceSpans(block.text)) {
    const piece = { ...block, text: block.text.slice(start, end) }
    if (
      !mayBeSaid(piece, telling) ||
      beginsInside(piece.text) ||
      /^[(（]/u.test(piece.text) ||
      isFragment(withoutStop(piece.text), telling.language)
    )
      continue
    const text = said(piece.text, telling)
    if (countWords(text, telling.language) < 3) continue
    units.push(statement(text, piece, units.length, telling))
    telling.seen.add(keyOf(piece.text))
  }
  return withLead(units, lead, telling)
}

function statement(text: string, piece: Piece, rank: number, telling: Telling): Unit {
  const isWhole = isStatement(piece.text, telling.language)
  return { kind: 'narration', text, led: led(text, telling), pieces: [piece], rank, ...(isWhole && { statement: text }) }
}

/** Puts what announces them before the first of them. */
function withLead([first, ...rest]: readonly Unit[], lead: Point | undefined, telling: Telling): Unit[] {
  if (first === undefined) return []
  // "E: Welcome": the letter or number that a page stands under is no lead.
  if (lead === undefined || /^[\p{Lu}\p{N}+.-]{1,3}$/u.test(lead.text)) return [first, ...rest]
  const text = first.led?.(lead.text) ?? ''
  if (text === '' || countWords(text, telling.language) > ledWordsMost) return [first, ...rest]
  return [{ ...first, text, led: led(text, telling), pieces: [lead.piece, ...first.pieces] }, ...rest]
}

interface Entry {
  item: Piece & ListItem
  children: (Piece & ListItem)[]
}

function presentList(items: readonly (Piece & ListItem)[], telling: Telling, place: Told, lead: Point | undefined): Unit[] {
  const top = Math.min(...items.map(({ level }) => level))
  const entries: Entry[] = []
  for (const item of items.slice(0, itemsMost * 4)) {
    const open = entries.at(-1)
    if (item.level > top && open !== undefined) open.children.push(item)
    else entries.push({ item, children: [] })
  }
  if (items.length > 0 && entries.every(({ children }) => children.length === 0)) return presentItems(items, telling, place, lead)
  const units: Unit[] = []
  for (const [at, { item: written, children }] of entries.slice(0, itemsMost).entries()) {
    // "It happens once, when" goes on in what stands below it.
    const isOpen = children.length > 0 && isFragment(withoutStop(written.text), telling.language)
    const item = isOpen ? { ...written, text: `${withoutStop(written.text)}:` } : written
    const head = pointOf(item, telling)
    const isSaid = isLong(item, telling.language) && !/[:：]\s*$/u.test(item.text)
    if (head !== undefined && (isSaid || children.length === 0)) {
      units.push(...withLead(presentItems([item], telling, place, undefined), units.length === 0 ? lead : undefined, telling))
    }
    const rank = Math.floor(at / 3)
    const below = presentItems(children, telling, place, isSaid ? undefined : head)
    units.push(...below.map((unit) => ({ ...unit, rank: unit.rank + rank })))
  }
  return units
}

/** Of a list: too long to stand beside others in one sentence. */
const isLong = ({ text }: Pick<Piece, 'text'>, language: string): boolean =>
  countWords(text, language) >= (/[?？؟]$/u.test(text) ? 3 : isEnded(text) ? 7 : 9) || /[?？؟!！]\s/u.test(text)

/** Items side by side: short ones together, long ones each in a sentence; of many, two. */
function presentItems(all: readonly (Piece & ListItem)[], telling: Telling, place: Told, lead: Point | undefined): Unit[] {
  const { language } = telling
  const items = all.slice(0, itemsMost)
  const isPlain = ({ text }: Piece) => !isUnspeakable(text) && !telling.everywhere.has(keyOf(text))
  const usable = items.filter((item) => isPlain(item) && !isFragment(withoutStop(item.text), language))
  const fresh = usable.filter((item) => mayBeSaid(item, telling))
  if (fresh.length === 0) return []
  const isPart = fresh.length < usable.length
  const points = fresh.flatMap((piece) => pointOf(piece, telling) ?? [])
  const unseen = all.length - items.length + usable.length - fresh.length
  if (points.length > pointsMost) {
    // Of many, not what stands below them.
    const level = Math.min(...all.map((item) => item.level))
    const upper = all.filter((item) => item.level === level)
    return upper.length < all.length ? presentItems(upper, telling, place, lead) : amongMany(points, telling, place, lead, unseen)
  }
  const units: Unit[] = []
  let group: Point[] = []
  const close = () => {
    const before = units.length === 0 ? lead : undefined
    if (group.length > 0) units.push(...grouped(group, telling, place, before, !isPart && group.length === points.length))
    group = []
  }
  fresh.forEach((item, at) => {
    const point = points.find(({ piece }) => piece === item)
    if (point === undefined) return
    if (!isLong(item, language)) return void group.push(point)
    close()
    const sentences = sentenceSpans(item.text).map(({ start, end }) => item.text.slice(start, end))
    for (const [turnAt, sentence] of sentences.entries()) {
      const text = said(sentence, telling)
      if (countWords(text, language) < 3) continue
      const order = place.hasOrder && item.isOrdered === true && turnAt === 0 && fresh.length > 1 ? telling.phrases.orders[at] : undefined
      const gap = /^(?:ja|zh)/.test(language) ? '' : ' '
      const ordered =
        order === undefined || keyOf(text).startsWith(keyOf(order)) ? text : `${order}${commaOf(language)}${gap}${inside(text, telling)}`
      const unit = statement(ordered, item, turnAt * 2 + Math.floor(at / 4), telling)
      units.push(...withLead([unit], units.length === 0 ? lead : undefined, telling))
    }
  })
  close()
  return units
}

/** Two of many: what the host stressed, what carries a figure, else the first. */
function amongMany(points: readonly Point[], telling: Telling, { emphasis }: Place, lead: Point | undefined, unseen = 0): Unit[] {
  const { phrases, language } = telling
  const words = points.reduce((sum, { text }) => sum + countWords(text, language), 0)
  // Those who are thanked: two names of seventy say nothing.
  if (lead === undefined && points.length > crowdMost && words <= points.length * nameWordsMean) return []
  // "Creams, oils and salves" beside another is heard as four.
  const standsAlone = ({ text }: Point) => isTangled(text, language) || /[?？؟]$/u.test(text)
  const weight = (point: Point) => {
    if (emphasis.some((word) => point.text.includes(word))) return 2
    return standsAlone(point) ? -1 : /\d/u.test(point.text.replace(/\s\d{1,2}$/u, '')) ? 1 : 0
  }
  const best = points.toSorted((a, b) => weight(b) - weight(a)).slice(0, 2)
  const two = points.filter((point) => best.includes(point))
  const list = joined(
    two.map(({ text }) => inside(text, telling)),
    language,
  )
  const gaps = { list, count: countWord(phrases, points.length + unseen) }
  const pieces = two.map(({ piece }) => piece)
  if (countWords(list, language) > groupWordsMost || two.some(standsAlone)) {
    return withLead(
      two.map(({ text, piece }) => statement(text, piece, 0, telling)),
      lead,
      telling,
    )
  }
  const text = fill(phrases.among, gaps)
  // What ends itself stands alone: "Where to? Nine points here, ...".
  const withTitle = (title: string) => (isEnded(title) ? `${title} ${text}` : fill(phrases.ledAmong, { ...gaps, lead: title }))
  if (lead !== undefined) return [{ kind: 'narration', text: withTitle(lead.text), pieces: [lead.piece, ...pieces], rank: 0 }]
  return [{ kind: 'narration', text, led: withTitle, pieces, rank: 0 }]
}

/** Short points in as few sentences as can be listened to. */
function grouped(points: readonly Point[], telling: Telling, place: Place, lead: Point | undefined, isAll = true): Unit[] {
  if (points.length > pointsMost) return amongMany(points, telling, place, lead)
  const { phrases, language } = telling
  const groups: Point[][] = []
  let words = 0
  // What stands in brackets remarks on what stands before it.
  for (const point of points.slice(points.findIndex(({ text }) => !/^[(（]/u.test(text)))) {
    const size = countWords(point.text, language)
    const last = groups.at(-1)
    if (last === undefined || words + size > groupWordsMost) {
      groups.push([point])
      words = size
    } else {
      last.push(point)
      words += size
    }
  }
  return groups.map((group, at): Unit => {
    const isLed = lead !== undefined && at === 0
    const small = group.map(({ text }) => inside(text, telling))
    // Beside a name the others keep their capital too.
    const texts = small.slice(isLed ? 0 : 1).some((text) => /^\p{Lu}\p{Ll}/u.test(text)) ? group.map(({ text }) => text) : small
    const list = joined(isLed ? texts.map(labelled) : texts, language)
    const pieces = group.map(({ piece }) => piece)
    const gaps = { list, count: countWord(phrases, points.length) }
    const unit = { kind: 'narration' as const, pieces, rank: 0 }
    if (isLed) return { ...unit, pieces: [lead.piece, ...pieces], text: ledBy(lead.text, list, telling) }
    // Counted is what is the whole list, where no title says what it is of; two are heard without being counted.
    if (points.length > 2 && isAll && groups.length === 1 && !/[:：]\s/u.test(list))
      return { ...unit, text: fill(phrases.points, gaps), led: led(list, telling, true) }
    // One short point says nothing without what it is said of.
    const isAlone = group.length === 1 && countWords(list, language) < 4
    return { ...unit, text: isAlone ? '' : list, led: led(list, telling, true) }
  })
}
