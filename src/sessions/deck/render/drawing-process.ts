// The process that draws presentations through LibreOffice in WebAssembly, at the lowest priority. Started by `converter.ts` with no
// environment, no network, no right to write, and nothing to read but its own program and fonts: what a document links to does not
// exist for it, and it holds no macro's language.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { WasmLoaderModule } from '@matbee/libreoffice-converter/server'
import { withoutCostlyBlur } from '../office/package.ts'
import type { FromDrawing } from './converter.ts'
import type { OfficeJob } from './office.ts'
import { endWithParent } from './protocol.ts'

endWithParent()
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.on('disconnect', () => process.exit(0))

// Of the types of a browser that is not here.
declare const WebAssembly: { instantiate(program: Uint8Array, imports: unknown): Promise<{ instance: unknown; module: unknown }> }

const require = createRequire(import.meta.url)
const fontFiles = process.argv.slice(2)

async function open() {
  const { createConverter } = await import('@matbee/libreoffice-converter/server')
  // Its types are those of its other modules.
  const wasmLoader = require('@matbee/libreoffice-converter/wasm/loader') as WasmLoaderModule
  const wasmPath = dirname(require.resolve('@matbee/libreoffice-converter/wasm/loader'))
  const fonts = fontFiles.map((path) => ({ filename: basename(path), data: new Uint8Array(readFileSync(path)) }))
  const createModule = (config: Record<string, unknown>) => wasmLoader.createModule({ ...config, ...moduleSettings(wasmPath) })
  return createConverter({ wasmPath, wasmLoader: { createModule }, fonts })
}

/**
 * Settings of Emscripten's module. It would run the office's own `main` in a thread beside the library that converts: both start up at
 * once, and whichever comes first looks through the fonts. In a thread each read of a file waits a millisecond for the main thread,
 * which itself waits for that thread: 65,000 reads, a minute in which the process has next to no work. The same holds for its threads
 * that read pictures. And of the program, 147 MB, the module needs no copy of its own.
 */
function moduleSettings(wasmPath: string): Record<string, unknown> {
  return {
    noInitialRun: true,
    preRun: [
      ({ ENV }: { ENV: Record<string, string> }) =>
        Object.assign(ENV, { VCL_NO_THREAD_IMPORT: '1', VCL_NO_THREAD_SCALE: '1', MAX_CONCURRENCY: '1' }),
    ],
    wasmBinary: new Uint8Array(),
    instantiateWasm(imports: unknown, receive: (instance: unknown, module: unknown) => void) {
      void WebAssembly.instantiate(readFileSync(join(wasmPath, 'soffice.wasm')), imports).then((made) =>
        receive(made.instance, made.module),
      )
      return {}
    },
  }
}

const converter = open()
converter.then(
  () => send({ type: 'ready' }),
  (error: unknown) => send({ type: 'failed', detail: wordsOf(error) }),
)

process.on('message', ({ file, extension, to }: OfficeJob) => {
  converter
    .then(async (it) => it.convert(extension === 'pptx' ? await withoutCostlyBlur(file) : file, { outputFormat: to }, `deck.${extension}`))
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
