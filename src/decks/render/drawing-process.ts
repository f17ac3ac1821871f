// The process that draws presentations through LibreOffice in WebAssembly, at the lowest priority. Started by `converter.ts` with no
// environment, no network, no right to write, and nothing to read but its own program and fonts: what a document links to does not
// exist for it, and it holds no macro's language.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { basename, dirname } from 'node:path'
import type { WasmLoaderModule } from '@matbee/libreoffice-converter/server'
import type { FromDrawing } from './converter.ts'
import type { OfficeJob } from './office.ts'
import { endWithParent } from './orphan-watch.ts'

endWithParent()
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.on('disconnect', () => process.exit(0))

const require = createRequire(import.meta.url)
const fontFiles = process.argv.slice(2)

async function open() {
  const { createConverter } = await import('@matbee/libreoffice-converter/server')
  // Its types are those of its other modules.
  const wasmLoader = require('@matbee/libreoffice-converter/wasm/loader') as WasmLoaderModule
  const wasmPath = dirname(require.resolve('@matbee/libreoffice-converter/wasm/loader'))
  const fonts = fontFiles.map((path) => ({ filename: basename(path), data: new Uint8Array(readFileSync(path)) }))
  return createConverter({ wasmPath, wasmLoader, fonts })
}

const converter = open()
converter.then(
  () => send({ type: 'ready' }),
  (error: unknown) => send({ type: 'failed', detail: wordsOf(error) }),
)

process.on('message', ({ file, extension, to }: OfficeJob) => {
  converter
    .then((it) => it.convert(file, { outputFormat: to }, `deck.${extension}`))
    .then(
      ({ data }) => send({ type: 'done', data }),
      (error: unknown) => send({ type: 'failed', detail: wordsOf(error) }),
    )
})

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given'
}

function send(message: FromDrawing): void {
  process.send?.(message)
}
