// What a slide says, as its reader saw it: blocks in reading order, each with its place on the page. Everything here is public: notes are no
// block.
import type { Box } from './deck.ts'

/** Words of a block before the text of the slide is written (`block-text.ts`). */
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
