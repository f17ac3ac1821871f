// Builds the MCP-App views: one script and one sheet, put into five HTML files of their own (web/dist/views), because a host
// shows a view from a single text without a network.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const views = [
  ['sessions/create', 'New session'],
  ['sessions/preview', 'Session'],
  ['sessions/list', 'Sessions'],
  ['analytics', 'Analytics'],
  ['leads', 'Leads'],
]

export async function buildViews(shared) {
  const { output } = await build({
    ...shared,
    publicDir: false,
    build: {
      write: false,
      target: 'es2023',
      // As in build.mjs: `light-dark()` stays as written, which is also shorter.
      cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: { input: 'src/views/entry.tsx', output: { format: 'iife' } },
    },
  }).then((built) => (Array.isArray(built) ? built[0] : built))
  const script = output.find((file) => file.type === 'chunk').code.trim()
  const style = String(output.find((file) => file.fileName.endsWith('.css')).source).trim()
  if (/<\/script/i.test(script)) throw new Error('The script of the views would end its own element.')
  const directory = join(shared.root, 'dist/views')
  mkdirSync(directory, { recursive: true })
  for (const [view, title] of views) {
    const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`
    const html = `<!doctype html><html lang="en" data-view="${view}"><head>${head}</head><body></body><script>${script}</script></html>\n`
    writeFileSync(join(directory, `${view.replace('/', '-')}.html`), html)
  }
}
