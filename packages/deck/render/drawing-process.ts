// The process that draws presentations through LibreOffice in WebAssembly, at the lowest priority. Started by `converter.ts` with no
// environment, no network, no right to write, and nothing to read but its own program and fonts: what a document links to does not
// exist for it, and it holds no macro's language.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { WasmLoaderModule } from '@matbee/libreoffice-converter/server'
import { serveEngine, type Work } from '@rostrum/base/engine'
import { withoutCostlyBlur } from '../office/package.ts'
import type { OfficeJob } from './office.ts'

setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

// Of the types of a browser that is not here.
declare const WebAssembly: { instantiate(program: Uint8Array, imports: unknown): Promise<{ instance: unknown; module: unknown }> }

const require = createRequire(import.meta.url)

/** `setup`: files of fonts. */
async function open(setup: unknown): Promise<Work> {
  const { createConverter } = await import('@matbee/libreoffice-converter/server')
  // Its types are those of its other modules.
  const wasmLoader = require('@matbee/libreoffice-converter/wasm/loader') as WasmLoaderModule
  const wasmPath = dirname(require.resolve('@matbee/libreoffice-converter/wasm/loader'))
  const fonts = (setup as readonly string[]).map((path) => ({ filename: basename(path), data: new Uint8Array(readFileSync(path)) }))
  const createModule = (config: Record<string, unknown>) => wasmLoader.createModule({ ...config, ...moduleSettings(wasmPath) })
  const converter = await createConverter({ wasmPath, wasmLoader: { createModule }, fonts })
  return async (work): Promise<Uint8Array> => {
    const { file, extension, to } = work as OfficeJob
    const plain = extension === 'pptx' ? await withoutCostlyBlur(file) : file
    return (await converter.convert(plain, { outputFormat: to }, `deck.${extension}`)).data
  }
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

serveEngine(open)
