// The thread of one long script.
import { parentPort, workerData } from 'node:worker_threads'
import { compileScript } from './compile.ts'
import { unpackedInput } from './compiler.ts'

parentPort?.postMessage(compileScript(unpackedInput(workerData as Parameters<typeof unpackedInput>[0])), [])
