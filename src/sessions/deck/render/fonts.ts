// Fonts of the machine for Chinese, Japanese and Korean, which the drawing program does not bring along: without one those letters
// come out as boxes.
import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const folders = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.fonts'),
  join(homedir(), '.local/share/fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
]
const known =
  /cjk|sourcehan|noto(?:sans|serif)(?:sc|tc|jp|kr)|wqy|droidsansfallback|ipag|ipaex|takao|nanum|uming|ukai|pingfang|hiragino|stheiti|applesdgothic/i
const isFont = /\.(?:ttf|ttc|otf)$/i
const isPlain = /regular|medium|-w3|\.ttc$/i
const sizeMax = 40 * 1024 * 1024
const filesMax = 3
const foldersMax = 2_000

/** A few of them: each costs the drawing process its size in memory. */
export function eastAsianFonts(): string[] {
  const found: string[] = []
  const open = [...folders]
  for (let seen = 0; open.length > 0 && seen < foldersMax; seen++) {
    const folder = open.shift() ?? ''
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) open.push(path)
      else if (isFont.test(entry.name) && known.test(entry.name.replaceAll(/[\s_-]/g, '')) && sizeOf(path) <= sizeMax) found.push(path)
    }
  }
  return found.toSorted((one, other) => Number(isPlain.test(other)) - Number(isPlain.test(one))).slice(0, filesMax)
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return Infinity
  }
}
