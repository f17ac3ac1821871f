// Fonts of the machine for Chinese, Japanese and Korean, which the drawing program does not bring along: without one those letters
// come out as boxes.
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { createEngine, type Engine, EngineFailed, type EngineLimits } from '@rostrum/base/engine'
import { type Office, officeOf, refused } from './office.ts'

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

// Draws presentations as they look: LibreOffice as WebAssembly, from a package, in a process of its own, one document at a time.

const gibibyte = 1024 ** 3
const resultMaxBytes = 100 * 1024 * 1024

export const converterLimits = {
  startMs: 120_000,
  /** A deck takes 2 to 12 s of work; a busy machine gives the process what is left over. */
  workMs: 180_000,
  memoryBytes: 2 * gibibyte,
  freeBytes: 2 * gibibyte,
  idleMs: 60_000,
  reuseBytes: 1.25 * gibibyte,
} satisfies EngineLimits

export interface ConverterParts {
  clock: Clock
  freeBytes?: () => number
  limits?: EngineLimits
  /** Of the process; only tests have another. */
  program?: string
}

const ownProgram = fileURLToPath(new URL('drawing-process.ts', import.meta.url))
const packageName = '@matbee/libreoffice-converter'

/** What draws presentations here: the LibreOffice that the operator names, else the package; nothing where he says `off`. */
export function officeFor(named: string | null, clock: Clock): Office | undefined {
  if (named === 'off') return undefined
  if (named !== null) return officeOf(named, clock)
  return hasConverter() ? createConverter({ clock }) : undefined
}

/** False where the optional package was not installed. */
export function hasConverter(): boolean {
  try {
    createRequire(import.meta.url).resolve(`${packageName}/wasm/loader`)
    return true
  } catch {
    return false
  }
}

export function createConverter(parts: ConverterParts): Office {
  let engine: Engine | undefined
  return {
    async convert(job, signal) {
      // With the first document: to look for fonts is no work for a start.
      engine ??= openEngine(parts)
      try {
        // The program is our own code: its answer is of this type.
        const file = (await engine.run(job, { signal })) as Uint8Array
        if (file.length === 0) return refused('no_pdf', '')
        return file.length > resultMaxBytes ? refused('pdf_size', `${file.length} bytes`) : { ok: true, file }
      } catch (error) {
        if (!(error instanceof EngineFailed)) throw error
        return refused(error.why === 'closed' ? 'start' : (error.why ?? 'no_pdf'), error.message)
      }
    },
    close: () => engine?.close(),
  }
}

function openEngine({ program = ownProgram, limits = converterLimits, ...parts }: ConverterParts): Engine {
  const fonts = eastAsianFonts()
  const here = dirname(ownProgram)
  return createEngine({
    ...parts,
    program,
    limits,
    setup: fonts,
    // Its own program is one file of the bundle, or a source with those that it imports.
    mayRead: [ownProgram.endsWith('.ts') ? join(here, '../..') : here, ...packagesFor(here), ...fonts],
    may: [],
    flags: [
      // Code that runs once is not worth optimising, nor compiling before it runs: 2 s of work instead of 8, and less memory. What a
      // long deck runs again and again is: 21 s of work instead of 33 for 73 slides.
      '--wasm-lazy-compilation',
      '--wasm-tiering-budget=300000000',
      '--max-old-space-size=512',
    ],
    // The library goes there and back: a place that it may read.
    cwd: here,
    env: { MALLOC_ARENA_MAX: '2', HOME: '/' },
    isDeaf: true,
  })
}

/** Where the package and what it needs lie; it may be hoisted. */
function packagesFor(here: string): string[] {
  const require = createRequire(join(here, 'converter.ts'))
  return (require.resolve.paths(packageName) ?? []).filter((path) => path.endsWith('node_modules'))
}
