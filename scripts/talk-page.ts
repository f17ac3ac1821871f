// Makes the page of a talk in one file (`dist/talk.html`): the room, with the run and the answers that a server would give it. What the
// code needs of a module of Node would be missing there, so none may be left.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The files of a folder by their tags, each as `value` makes it: words come along instead of being read. */
function textsOf(folder: string, value: (text: string) => string): string {
  const texts = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const text = JSON.stringify(JSON.parse(readFileSync(join(root, folder, file), 'utf8')))
      return `${JSON.stringify(file.slice(0, -'.json'.length))}: ${value(text)}`
    })
  return `{ ${texts.join(', ')} }`
}

const roomTexts = join(root, 'web/src/file/room-texts.ts')

/** What no page comes to: nobody's name is erased there. */
const erasure = '\0erasure'

const inPage = {
  name: 'in-page',
  resolveId(id: string, importer: string | undefined) {
    if (id === 'node:crypto' && importer === join(root, 'packages/stage/polls.ts')) return erasure
    return id.startsWith('node:') ? { id, external: true } : null
  },
  load(id: string) {
    if (id === erasure) return "export const createHash = () => { throw new Error('No name is erased in a page.') }"

    if (id.endsWith('.css?inline')) return `export default ${JSON.stringify(readFileSync(id.slice(0, -'?inline'.length), 'utf8'))}`
    if (id === roomTexts) return `export const roomTexts = ${textsOf('packages/languages/words/room', (text) => text)}`
    const isPresenter = id === join(root, 'packages/languages/files.ts')
    return isPresenter
      ? `export const languageFiles = ${textsOf('packages/languages/words', (text) => `() => ${JSON.stringify(text)}`)}`
      : null
  },
}

/** A source and all that it needs, as one module that runs in a browser from a disk. */
export async function bundleForPage(source: string): Promise<string> {
  const bundle = await rolldown({
    input: join(root, source),
    platform: 'browser',
    transform: { target: 'es2022' },
    treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
    plugins: [inPage],
    logLevel: 'warn',
  })
  // The policy lets no code be made of text, and zod's trial of it would be reported.
  const banner = 'globalThis.__zod_globalConfig={jitless:true};'
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false, comments: false, banner })
  await bundle.close()
  const [{ code }] = output
  const [needed] = /\b(?:from|import)\s*["'`]node:[^"'`]*/.exec(code) ?? []
  if (output.length > 1 || needed !== undefined) throw new Error(`${source} needs what a page has not: ${needed}`)
  if (/<\/script|<!--/i.test(code)) throw new Error(`The script of ${source} would end its own element.`)
  return code
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export async function makeTalkPage(): Promise<void> {
  const code = await bundleForPage('web/src/file/entry.tsx')
  const client = join(root, 'web/dist/client')
  const styles = JSON.parse(readFileSync(join(client, '.vite/styles.json'), 'utf8')) as Record<string, { file: string }>
  const style = readFileSync(join(client, styles['src/room/room.css']?.file ?? ''), 'utf8').trim()
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    `style-src ${hashOf(style)}`,
    'img-src blob:',
    'media-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">',
    '<meta name="robots" content="noindex">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    '<title>{{title}}</title>',
    `<style>${style}</style>`,
  ]
  const body = [
    '<div id="app"></div>',
    '<noscript>{{words}}</noscript>',
    '<script type="application/json" id="talk">{{talk}}</script>',
    '<script type="application/json" id="media">{{media}}</script>',
    `<script type="module">${code}</script>`,
  ]
  const page = `<!doctype html>\n<html lang="{{language}}"><head>${head.join('\n')}</head><body>${body.join('\n')}</body></html>\n`
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'dist/talk.html'), page)
}
