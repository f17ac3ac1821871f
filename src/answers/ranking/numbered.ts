// Lines of a slide that number themselves, wherever they stand: "Step 1" over a paragraph, "A01:2025" in a table. They are a list.
import { type Block, isSure, type Piece, piecesOf } from '../../sessions/deck/blocks/block.ts'

const runFewest = 3
const label = /^(\D{0,10}|\d{4} ?[-–:] ?\p{L}{0,3})(\d{1,2})(?!\d)/u

interface Line {
  piece: Piece
  block: number
  index: number
}

/** Each run counts from one without a gap. Labels of a drawing are no list. */
export function numberedRuns(blocks: readonly Block[]): Line[][] {
  const lines = blocks.flatMap((each, block) =>
    each.kind === 'figure' || each.kind === 'code'
      ? []
      : piecesOf(each).flatMap((piece, index) => (isSure(piece) ? [{ piece, block, index }] : [])),
  )
  const labelled = lines.flatMap((line) => {
    const [, before, number] = label.exec(line.piece.text) ?? []
    return before === undefined ? [] : [{ line, before, number: Number(number) }]
  })
  const runs = [...Map.groupBy(labelled, ({ before }) => before).values()]
  return runs
    .filter((run) => run.length >= runFewest && run.every(({ number }, at) => number === at + 1))
    .map((run) => run.map(({ line }) => line))
}

/** The run that `place` is a line of, or a title stands over where it is most of the slide; of a paragraph, `piece` is an offset. */
export function numberedAt(blocks: readonly Block[], place: { block: number; piece: number }): Piece[] {
  const isAt = ({ block, index }: Line) => block === place.block && (index === place.piece || blocks[block]?.kind === 'paragraph')
  const pieces = blocks.reduce((sum, block) => sum + (block.kind === 'figure' ? 0 : piecesOf(block).length), 0)
  const run = numberedRuns(blocks).find((lines) => (place.block < 0 ? lines.length * 2 >= pieces : lines.some(isAt)))
  return run?.map(({ piece }) => piece) ?? []
}
