// Builds everything the browser gets (web/dist/client) and the server's renderer (web/dist/server/render.js): the room and the
// dashboard as bundles of their own, so that neither pays for the other; style sheets; then .br and .gz beside each file.
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { buildRoom } from './build-room.mjs'
import { buildViews } from './build-views.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const clientDir = join(root, 'dist/client')
const target = 'es2022'

const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}

/** The source of what is not ours by the same licence can be had, and its file says where. */
const licenceOf = ({ moduleIds }) =>
  moduleIds.some((id) => id.includes('/mediabunny/')) ? '/*! Holds mediabunny, MPL-2.0: https://github.com/Vanilagy/mediabunny */' : ''

/** Builds the entries that exist and returns their manifest (source file -> built file). */
async function client(name, entries, { empty = false } = {}) {
  const input = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(root, file))))
  if (Object.keys(input).length === 0) return {}
  const manifest = `.vite/${name}.json`
  await build({
    ...shared,
    publicDir: empty ? 'public' : false,
    build: {
      outDir: clientDir,
      emptyOutDir: empty,
      target,
      // Keeps `light-dark()` as written: its emulation resolves at the root, so no part of a page could be dimmed.
      cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
      manifest,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: { input, output: { postBanner: licenceOf } },
    },
  })
  return JSON.parse(readFileSync(join(clientDir, manifest), 'utf8'))
}

/** `/assets/...` of a source file. */
function built(manifest, source) {
  const entry = manifest[source]
  return entry === undefined ? null : `/${entry.file}`
}

const styles = await client(
  'styles',
  { ui: 'src/ui/ui.css', pages: 'src/pages/pages.css', 'room-style': 'src/room/room.css' },
  { empty: true },
)
const room = await buildRoom(shared, { clientDir, target, manifest: '.vite/room.json' })
const dashboard = await client('dashboard', { dashboard: 'src/dashboard/entry.tsx' })

const roomCss = built(styles, 'src/room/room.css')
const dashboardEntry = dashboard['src/dashboard/entry.tsx']
const assets = {
  styles: ['src/ui/ui.css', 'src/pages/pages.css'].map((source) => built(styles, source)).filter((path) => path !== null),
  font: styles['src/ui/ui.css']?.assets?.find((file) => file.endsWith('.woff2')) ?? null,
  roomScript: built(room, 'src/room/entry.tsx'),
  roomCss: roomCss === null ? '' : readFileSync(join(clientDir, roomCss), 'utf8').trim(),
  dashboardScript: dashboardEntry === undefined ? null : `/${dashboardEntry.file}`,
  dashboardStyles: (dashboardEntry?.css ?? []).map((file) => `/${file}`),
  dashboardPreload: (dashboardEntry?.imports ?? []).flatMap((name) => (dashboard[name] ? [`/${dashboard[name].file}`] : [])),
}

await build({
  ...shared,
  publicDir: false,
  define: { ROSTRUM_ASSETS: JSON.stringify(assets) },
  ssr: { noExternal: true },
  build: {
    outDir: join(root, 'dist/server'),
    emptyOutDir: true,
    target: 'es2024',
    ssr: 'src/server/render.tsx',
    rolldownOptions: { output: { entryFileNames: 'render.js' } },
  },
})

await buildViews(shared)

const compressible = /\.(js|css|svg|json|webmanifest)$/
for (const entry of readdirSync(clientDir, { recursive: true, encoding: 'utf8' })) {
  const file = join(clientDir, entry)
  if (!compressible.test(entry) || !statSync(file).isFile()) continue
  const body = readFileSync(file)
  writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
}
