// What a slide says, as its reader saw it: blocks in reading order, each with its place on the page. Script, retrieval, answers and
// screens read blocks; nobody takes the text of a slide apart again. Everything here is public: notes are no block.
import type { Box } from '../../../contract/deck.ts'

/** Words of a block before the text of the slide is written (`write-blocks.ts`). */
export interface Words {
  /** One line, white space collapsed; of code, its lines. */
  text: string
  /** Where they stand, a box for each line; left out where nobody knows (slides sent as text). */
  boxes?: readonly Box[]
  /** 0..1, of words that were recognised in a picture; left out where the document itself holds them. */
  confidence?: number
}

export interface Piece extends Words {
  /** Offsets in the text of the slide; the slice is verbatim what is quoted. */
  start: number
  end: number
}

export type FigureKind = 'chart' | 'diagram' | 'picture' | 'screenshot'

/** Of a chart: what its file says it was drawn from. */
export interface ChartData {
  categories: readonly string[]
  series: readonly { name: string; values: readonly (number | null)[] }[]
  /** As the file formats its values: `0%`, `#,##0 €`. */
  format?: string
}

export interface ListItem {
  /** 0 for a top-level item. */
  level: number
  /** Numbered or lettered: its place among its neighbours matters. */
  isOrdered?: true
}

export type BlockOf<W> =
  | (W & { kind: 'heading'; /** 2 below the title, to 6. */ level: number })
  | (W & { kind: 'paragraph' })
  | { kind: 'list'; items: readonly (W & ListItem)[] }
  | { kind: 'table'; /** Its first row names the columns. */ hasHeader: boolean; rows: readonly (readonly W[])[] }
  | (W & { kind: 'code' })
  | (W & { kind: 'quote'; /** Who said it. */ by?: string })
  | (W & { kind: 'link'; url: string })
  | {
      kind: 'figure'
      shows: FigureKind
      boxes?: readonly Box[]
      /** Words inside the drawing, in reading order. */
      labels: readonly W[]
      data?: ChartData
      /** What it is called, where the document says so. */
      caption?: W
      /** A description that a person wrote. */
      alt?: W
    }

export type Draft = BlockOf<Words>
export type Block = BlockOf<Piece>

/** Where the title of a slide comes from, surest first. */
export type TitleFrom = 'given' | 'placeholder' | 'structure' | 'layout' | 'recognised' | 'first_line' | 'none'

/** What a reader makes of a page. */
export interface PageDraft {
  title: string
  titleFrom: TitleFrom
  /** Guessed from little, so that its owner should look. */
  isTitleSure: boolean
  /** Below the title. */
  blocks: readonly Draft[]
  /** Running headers and footers, page numbers, dates, brand lines: never said, never searched. */
  furniture: readonly string[]
}

/** What is kept of it beside title and text. */
export interface Reading extends Pick<PageDraft, 'titleFrom' | 'isTitleSure' | 'furniture'> {
  blocks: readonly Block[]
  /** The host wrote the text in the place of what was read. */
  isCorrected?: true
}

/** Words that may be shown as the slide's own: quoted in answers, taken for a title. Others help search and nothing else. */
export const isSure = ({ confidence = 1 }: Words): boolean => confidence >= 0.75

/** Every piece of words of a block, in reading order. */
export function piecesOf<W>(block: BlockOf<W>): readonly W[] {
  switch (block.kind) {
    case 'list':
      return block.items
    case 'table':
      return block.rows.flat()
    case 'figure':
      return [block.caption, ...block.labels, block.alt].filter((piece) => piece !== undefined)
    case 'heading':
    case 'paragraph':
    case 'code':
    case 'quote':
    case 'link':
      return [block]
  }
}

/** So many words standing alone are what is written in a drawing, beside which its sentences count. */
const labelsOfDrawing = 4
const labelChars = 32
/** Of a script without spaces each character says as much as three letters. */
const wideCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu
const isShort = ({ text }: Words): boolean => text.replace(wideCharacter, '...').length <= labelChars

/** Says something by itself, or is a list of points: more than a label. */
export const isSaying = (block: Block): boolean =>
  block.kind === 'list' || block.kind === 'quote' || (block.kind === 'paragraph' && !isShort(block))

/** What is written in the drawing that `blocks` hold where its reader found its words alone; none where there is no drawing. */
export function drawnWords(blocks: readonly Block[]): ReadonlySet<Piece> {
  const alone = blocks.flatMap((block, at) =>
    block.kind === 'paragraph' && isShort(block) && !/[\d.!?:。！？：]/u.test(block.text) ? [{ block, next: blocks[at + 1] }] : [],
  )
  if (alone.length < labelsOfDrawing) return new Set()
  return new Set(alone.filter(({ block, next }) => next === undefined || !isHead(block, next)).map(({ block }) => block))
}

/** Right above what it is the head of, and beginning where that does. */
function isHead({ boxes }: Words, next: Block): boolean {
  const [left, top, , height] = boxes?.[0] ?? []
  const [nextLeft, nextTop] = piecesOf<Words>(next)[0]?.boxes?.[0] ?? []
  if (!isSaying(next) || left === undefined || top === undefined || nextLeft === undefined || nextTop === undefined) return false
  return Math.abs(nextLeft - left) < 0.05 && nextTop > top && nextTop - top < (height ?? 0) * 2.5
}
