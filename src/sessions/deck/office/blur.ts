// Soft edges cost the program that draws presentations a thread, a fifth of a second and 20 MB each, and it gives back little of that
// before a deck is done. Where a deck has many, it draws a copy whose shadows are hard, and which has no glow and no soft edges: next to
// nobody sees the difference. The file itself is read as it is.
import { DocumentError } from '../render/protocol.ts'
import { openZip, writeZip } from './zip.ts'

/** Soft edges drawn as they are: some two seconds. */
const drawnMax = 8

const blur = /(\bblurRad="|<[a-z]\w{0,8}:(?:softEdge|glow) rad=")[1-9]\d{0,11}"/g
const styled = /\beffectRef idx="([1-3])"/g
const drawn = /^ppt\/(?:slides|slideLayouts|slideMasters|diagrams|charts|drawings|theme)\/[^/]+\.xml$/

/** The file itself where it has few, or cannot be read. */
export async function withoutCostlyBlur(file: Uint8Array): Promise<Uint8Array> {
  try {
    const zip = await openZip(file)
    const parts = new Map<string, Uint8Array>()
    const texts = new Map<string, string>()
    for (const name of zip.names) {
      const bytes = await zip.read(name)
      if (bytes === undefined) continue
      parts.set(name, bytes)
      if (drawn.test(name)) texts.set(name, Buffer.from(bytes).toString())
    }
    if (countBlurs(texts) <= drawnMax) return file
    for (const [name, text] of texts) parts.set(name, Buffer.from(text.replace(blur, '$10"')))
    return writeZip(parts)
  } catch (error) {
    if (error instanceof DocumentError) return file
    throw error
  }
}

function countBlurs(texts: ReadonlyMap<string, string>): number {
  const inFolder = (folder: string) => [...texts].filter(([name]) => name.startsWith(`ppt/${folder}/`)).map(([, text]) => text)
  const styles = inFolder('theme').map((text) => text.split('effectStyle>').filter((_, at) => at % 2 === 1))
  const isSoft = (index: number) => styles.some((of) => (of[index - 1] ?? '').search(blur) >= 0)
  const count = (text: string) =>
    [...text.matchAll(blur)].length + [...text.matchAll(styled)].filter((one) => isSoft(Number(one[1]))).length
  const sum = (...folders: string[]) => folders.flatMap(inFolder).reduce((all, text) => all + count(text), 0)
  const slides = inFolder('slides').length
  // Every slide shows its master, and of the layouts one.
  const layouts = Math.max(1, inFolder('slideLayouts').length)
  return sum('slides', 'diagrams', 'charts', 'drawings') + slides * (sum('slideMasters') + sum('slideLayouts') / layouts)
}
