// The paragraphs of a shape as a person reads them: runs joined, line breaks made spaces, bullets and levels known, typed bullets
// taken for bullets, fields that number or date the slide left out.
import { cleanText } from '../render/protocol.ts'
import { type Chain, isOn, type Looks, looksAt } from './inherit.ts'
import type { Relation } from './package.ts'
import { child, children, descendants, type Element } from './xml.ts'

export interface Paragraph extends Omit<Looks, 'font'> {
  /** One line. */
  text: string
  /** Its lines and spaces kept, where it is set in a typewriter's face. */
  code?: string
  level: number
  /** Of a link that is the whole paragraph. */
  url?: string
  isRightToLeft?: true
}

export type Relations = ReadonlyMap<string, Relation>

const typedMark = /^(?:[•‣▪▸►●○◦·–—・❏❑❒➢➤→✓✔■□◆-]|\p{Co})\s+/u
const typewriter = /mono|consol|courier|menlo|monaco|lucida console|source code|\bcode\b|fixedsys|terminal/i
/** A line end that PowerPoint writes as a character. */
const written = /_x000[BDbd]_|[\v\f]/g

export const isTypewriter = (font: string) => typewriter.test(font)

/** A bullet that somebody typed is one. */
export function withoutTypedMark(text: string): { text: string; isMarked: boolean } {
  const mark = typedMark.exec(text)?.[0] ?? ''
  return { text: text.slice(mark.length), isMarked: mark !== '' }
}

export const oneLine = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim()

/** Paragraphs with words, in order. `body`: an `a:txBody`. */
export function paragraphsOf(body: Element | undefined, chain: Chain, relations?: Relations): Paragraph[] {
  return children(body, 'p').flatMap((paragraph) => {
    const properties = child(paragraph, 'pPr')
    const level = Math.min(8, Math.max(0, Math.trunc(Number(properties?.attributes['lvl'] ?? 0)) || 0))
    const looks = looksAt(level, properties, chain)
    return partsOf(paragraph).flatMap((runs) => readRuns(runs, level, looks, properties, relations))
  })
}

/** A break with nothing before it, or two of them, end a paragraph as a blank line does. */
function partsOf(paragraph: Element): Element[][] {
  const parts: Element[][] = [[]]
  let isBroken = false
  for (const run of paragraph.children) {
    const text = run.name === 'br' ? '' : wordsOf(run)
    if (run.name !== 'br' && text.trim() === '') {
      if (text !== '') parts.at(-1)?.push(run)
      continue
    }
    if (run.name === 'br' && isBroken) parts.push([])
    else if (isBroken && typedMark.test(`${text.trim()} `)) parts.push([run])
    else parts.at(-1)?.push(run)
    isBroken = run.name === 'br'
  }
  return parts
}

function wordsOf(run: Element): string {
  switch (run.name) {
    case 'r':
      return child(run, 't')?.text ?? ''
    case 'fld':
      return /^(?:slidenum|datetime)/.test(run.attributes['type'] ?? '') ? '' : (child(run, 't')?.text ?? '')
    case 'pPr':
    case 'endParaRPr':
      return ''
    case 'AlternateContent':
      return wordsWithin(child(run, 'Choice') ?? run)
    default:
      return wordsWithin(run)
  }
}

/** Formulas keep their letters in runs of their own. */
const wordsWithin = (run: Element) =>
  descendants(run, 't')
    .map(({ text }) => text)
    .join('')

function readRuns(
  runs: readonly Element[],
  level: number,
  { font, ...looks }: Looks,
  properties: Element | undefined,
  relations: Relations | undefined,
): Paragraph[] {
  const raw = runs.map((run) => (run.name === 'br' ? '\n' : wordsOf(run).replace(written, '\n'))).join('')
  const text = oneLine(raw)
  if (text === '') return []
  const said = runs.filter((run) => wordsOf(run).trim() !== '').map((run) => child(run, 'rPr'))
  const sizes = said.map((each) => Number(each?.attributes['sz'] ?? 0) / 100 || looks.size)
  const isCode = said.length > 0 && said.every((each) => isTypewriter(child(each, 'latin')?.attributes['typeface'] ?? font))
  const url = linkOf(said, relations)
  const typed = looks.bullet === 'none' ? withoutTypedMark(text) : { text, isMarked: false }
  return [
    {
      ...looks,
      text: typed.text,
      level,
      bullet: typed.isMarked ? 'mark' : looks.bullet,
      size: Math.max(0, ...sizes) || looks.size,
      isBold: said.length > 0 && said.every((each) => (each?.attributes['b'] === undefined ? looks.isBold : isOn(each.attributes['b']))),
      ...(isCode && { code: codeLines(`${'  '.repeat(level)}${raw}`) }),
      ...(url !== undefined && { url }),
      ...(isOn(properties?.attributes['rtl']) && { isRightToLeft: true as const }),
    },
  ]
}

function codeLines(raw: string): string {
  const from = raw.search(/\S/)
  const indent = raw.slice(0, from)
  return `${indent.slice(indent.lastIndexOf('\n') + 1)}${cleanText(raw)}`
}

/** The address that every run of a paragraph leads to. */
function linkOf(runs: readonly (Element | undefined)[], relations: Relations | undefined): string | undefined {
  const targets = new Set(runs.map((run) => relations?.get(child(run, 'hlinkClick')?.attributes['r:id'] ?? '')))
  const [only] = targets
  return targets.size === 1 && only?.isExternal === true && /^https?:\/\//i.test(only.target) ? only.target : undefined
}
