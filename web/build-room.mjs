// Builds the script of the room, which is owed in 20 KiB: with a renderer of its own, and without what an application's build adds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

/** Sources say `preact`; only here the name means the room's own renderer (docs/decisions/011). */
const ownRenderer = (root) => ({
  name: 'own-renderer',
  enforce: 'pre',
  resolveId: (id) => ({ preact: join(root, 'src/renderer/preact.ts'), 'preact/hooks': join(root, 'src/renderer/hooks.ts') })[id],
  transform: (code, id) => (id.endsWith('.tsx') ? `import { Fragment, h } from 'preact'\n${code}` : null),
})

/** Returns the manifest (source file -> built file). */
export async function buildRoom(shared, { clientDir, target, manifest }) {
  const name = 'assets/[name]-[hash].js'
  await build({
    ...shared,
    plugins: [ownRenderer(shared.root)],
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
    publicDir: false,
    build: {
      outDir: clientDir,
      emptyOutDir: false,
      target,
      manifest,
      // A library's `import()` stays as it is written; an application's would be wrapped to preload style sheets, which the room has inline.
      lib: { entry: { room: join(shared.root, 'src/room/entry.tsx') }, formats: ['es'] },
      rolldownOptions: {
        preserveEntrySignatures: false,
        output: {
          minify: true,
          comments: false,
          entryFileNames: name,
          chunkFileNames: name,
          // All that the entry needs at once is one file, also what later chunks share with it: a second request costs a line's latency.
          codeSplitting: { groups: [{ name: 'room', test: /\/room\/entry\.tsx$/ }] },
        },
      },
    },
  })
  return JSON.parse(readFileSync(join(clientDir, manifest), 'utf8'))
}
