// What the voice is given where a host has said how words are said: "kubectl" as "cube control". Captions and transcripts keep the
// text. The browser's voice has the same rule (web/src/room/pronounced.ts); a test holds the two together.

/** How words are said, by word. */
export type Pronunciations = Readonly<Record<string, string>>

/** Scripts without spaces between words: there a word ends nowhere that could be seen. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const before = String.raw`(?<=^|[^\p{L}\p{M}\p{N}_]|[${unspaced}])`
const after = String.raw`(?=$|[^\p{L}\p{M}\p{N}_]|[${unspaced}])`
/** Of a word that begins or ends with a mark, or in such a script, either end may stand against another word. */
const open = String.raw`[^\p{L}\p{M}\p{N}]|[${unspaced}]`
const isOpenAtStart = new RegExp(`^(?:${open})`, 'u')
const isOpenAtEnd = new RegExp(`(?:${open})$`, 'u')

/** Longest first, so that "SQL Server" comes before "SQL". */
function patternOf(list: Pronunciations): RegExp | undefined {
  const words = Object.keys(list).toSorted((a, b) => b.length - a.length)
  if (words.length === 0) return undefined
  const whole = words.map((word) => {
    const plain = word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
    return `${isOpenAtStart.test(word) ? '' : before}${plain}${isOpenAtEnd.test(word) ? '' : after}`
  })
  return new RegExp(whole.join('|'), 'giu')
}

/** Whole words alone. A word in small letters stands for any case of it, one with capitals for itself. */
export function pronouncing(list: Pronunciations): (text: string) => string {
  const pattern = patternOf(list)
  if (pattern === undefined) return (text) => text
  const said = new Map(Object.entries(list))
  return (text) => text.replaceAll(pattern, (word) => said.get(word) ?? said.get(word.toLowerCase()) ?? word)
}
