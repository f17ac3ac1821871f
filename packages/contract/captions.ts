// Cuts a sentence into captions of at most two lines of 42 characters at clause ends, and finds the clauses at which speech may be
// taken up again. Wide scripts (Han, Kana, Hangul) count two columns a character. Pure.
import { clauseMax, clauseOffsets } from './spoken.ts'

export interface CaptionChunk {
  /** Offsets in the sentence: [start, end). */
  start: number
  end: number
  text: string
}

const lineColumns = 42
const linesMax = 2

/** The last clause start at or before `chars`. */
export function clauseStart(text: string, chars: number): number {
  return clauseOffsets(text).findLast((offset) => offset <= chars) ?? 0
}

/**
 * Pieces for one utterance each: whole clauses of one caption, so that its change is the engine's own event, whatever its pace. One
 * longer than `charsMax` is cut with its captions (remote voices fall silent after some 15 s).
 */
export function utterancePieces(text: string, from = 0, charsMax = clauseMax): readonly CaptionChunk[] {
  const clauses = clauseOffsets(text)
  const ends = captionChunks(text).map((chunk) => chunk.end)
  const bounds = [...new Set([...clauses, ...ends])].filter((bound) => bound > from).sort((a, b) => a - b)
  const pieces: CaptionChunk[] = []
  let start = from
  bounds.forEach((end, i) => {
    const next = bounds[i + 1] ?? Infinity
    const changes = ends.some((bound) => bound > start && bound < next) && (clauses.includes(end) || next === Infinity)
    if (!changes && next - start <= charsMax) return
    pieces.push({ start, end, text: text.slice(start, end).trim() })
    start = end
  })
  return pieces
}

/** The chunk that holds the character `chars`. */
export function chunkAt(chunks: readonly CaptionChunk[], chars: number): CaptionChunk | undefined {
  return chunks.findLast((chunk) => chunk.start <= chars) ?? chunks[0]
}

/**
 * The captions of a sentence, in order, without gap or overlap: clauses joined while they fit; one that does not fit alone is cut at a
 * space, or anywhere in a script without spaces.
 */
export function captionChunks(text: string): readonly CaptionChunk[] {
  const chunks: CaptionChunk[] = []
  let start = 0
  let end = 0
  const close = (to: number) => {
    if (to > start) chunks.push({ start, end: to, text: text.slice(start, to).trim() })
    start = to
    end = to
  }
  for (const bound of [...clauseOffsets(text).slice(1), text.length]) {
    if (fits(text, start, bound)) {
      end = bound
      continue
    }
    if (end > start) close(end)
    while (!fits(text, start, bound)) close(cutPoint(text, start, bound))
    end = bound
  }
  close(end)
  return chunks
}

const fits = (text: string, start: number, end: number): boolean => linesNeeded(text.slice(start, end).trim()) <= linesMax

function cutPoint(text: string, start: number, bound: number): number {
  let last = start
  for (const match of text.slice(start, bound).matchAll(/\s+/g)) {
    const at = start + match.index + match[0].length
    if (!fits(text, start, at)) break
    last = at
  }
  if (last > start) return last
  let at = start
  for (const character of text.slice(start, bound)) {
    if (at > start && !fits(text, start, at + character.length)) break
    at += character.length
  }
  return at
}

/** Lines that greedy wrapping needs. */
function linesNeeded(piece: string): number {
  let lines = 1
  let used = 0
  for (const word of piece.split(/\s+/)) {
    const wide = columns(word)
    if (used > 0 && used + 1 + wide > lineColumns) {
      lines++
      used = 0
    }
    if (wide > lineColumns) lines += Math.ceil(wide / lineColumns) - 1
    used = wide > lineColumns ? wide % lineColumns : used + (used > 0 ? 1 : 0) + wide
  }
  return lines
}

/** Columns that a text takes: two for a character of a wide script. */
export function columns(word: string): number {
  let count = 0
  for (const character of word) count += /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/u.test(character) ? 2 : 1
  return count
}
