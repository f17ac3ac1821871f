// Builds the script of the room without what an application's build adds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

/** Returns the manifest (source file -> built file). */
export async function buildRoom(shared, { clientDir, target, manifest }) {
  const name = 'assets/[name]-[hash].js'
  await build({
    ...shared,
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
