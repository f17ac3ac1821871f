// Builds the dashboard and serves it with the fake API, for tests that drive screens: one build serves every file of a run.
import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { FakeApi } from './fake-api.ts'
import { startFakeApi } from './fake-api.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = join(root, '../node_modules/.cache/dashboard')

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
  isEntry?: boolean
  isDynamicEntry?: boolean
}

export interface BuiltDashboard {
  dist: string
  /** Bytes, gzipped, that the first screen loads: its script, what that imports, its styles. */
  firstLoad: number
  /** Bytes, gzipped, of each lazy chunk with its imports that the first load has not brought. */
  lazy: ReadonlyMap<string, number>
  /** The HTML of every dashboard address, with the content policy that the server sends. */
  page: () => string
}

/** Of all that a build is made from. */
function sourcesMark(): string {
  const files = globSync(
    ['web/{src,test/dashboard-rig.ts}/**', 'packages/{contract,languages}/**', 'client/**/*.ts', 'package-lock.json'],
    {
      cwd: join(root, '..'),
      exclude: (path) => path.includes('node_modules') || path.includes('dist'),
    },
  )
  const mark = createHash('sha256')
  for (const file of files.toSorted()) {
    const { mtimeMs, size } = statSync(join(root, '..', file))
    mark.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return mark.digest('hex').slice(0, 16)
}

async function builtOnce(): Promise<string> {
  const dist = join(home, sourcesMark())
  if (existsSync(dist)) return dist
  await mkdir(home, { recursive: true })
  const draft = `${dist}-${process.pid}`
  await buildInto(draft)
  // Another file may have been quicker.
  await rename(draft, dist).catch(() => rm(draft, { recursive: true, force: true }))
  return dist
}

async function buildInto(dist: string): Promise<void> {
  // Costly to load, and needed by the first file of a run alone.
  const { build } = await import('vite')
  const entries = { ui: join(root, 'src/ui/ui.css'), dashboard: join(root, 'src/dashboard/entry.tsx') }
  const { NODE_ENV } = process.env
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: dist,
      emptyOutDir: true,
      target: 'es2022',
      manifest: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: { input: entries },
    },
  })
  // Vite sets it, and other files of this process are not about to be built.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV']
}

export async function buildDashboard(): Promise<BuiltDashboard> {
  const dist = await builtOnce()
  // The manifest is Vite's own, of the shape above.
  const manifest = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const entry = manifest['src/dashboard/entry.tsx']
  const ui = manifest['src/ui/ui.css']
  if (entry === undefined || ui === undefined) throw new Error('The build has no dashboard.')
  const size = async (file: string) => gzipSync(await readFile(join(dist, file)), { level: 9 }).length
  const withImports = (chunk: Chunk, seen = new Set<string>()): Set<string> => {
    if (seen.has(chunk.file)) return seen
    seen.add(chunk.file)
    for (const name of chunk.imports ?? []) {
      const imported = manifest[name]
      if (imported !== undefined) withImports(imported, seen)
    }
    return seen
  }
  const sum = async (files: Iterable<string>) => {
    let total = 0
    for (const file of files) total += await size(file)
    return total
  }
  const styles = [ui.file, ...(entry.css ?? [])]
  const first = withImports(entry)
  const lazy = new Map<string, number>()
  for (const [name, chunk] of Object.entries(manifest)) {
    if (chunk.isDynamicEntry !== true) continue
    lazy.set(name, await sum([...withImports(chunk)].filter((file) => !first.has(file))))
  }
  return {
    dist,
    firstLoad: await sum([...first, ...styles]),
    lazy,
    page: () => pageOf(entry.file, styles),
  }
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

function pageOf(script: string, styles: readonly string[]): string {
  const links = styles.map((file) => `<link rel="stylesheet" href="/${file}">`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Rostrum</title><link rel="icon" href="data:,">${links}<script type="module" src="/${script}"></script></head><body><div id="app"></div></body></html>`
}

export const serveDashboard = ({ dist, page }: BuiltDashboard): Promise<FakeApi> => startFakeApi({ dist, page })

async function serveAlone(): Promise<void> {
  const api = await startFakeApi({ ...(await buildDashboard()), port: Number(process.argv[2] ?? 4411) })
  console.log(`${api.url}/dashboard`)
}

if (import.meta.main) void serveAlone()
