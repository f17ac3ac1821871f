// The thread of one long script.
import { parentPort, workerData } from 'node:worker_threads'
import type { ScriptInput } from './beat.ts'
import { compileScript } from './compile.ts'

parentPort?.postMessage(compileScript(workerData as ScriptInput), [])
