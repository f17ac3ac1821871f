// The thread of one long text that becomes knowledge.
import { parentPort, workerData } from 'node:worker_threads'
import { type KnowledgePart, passagesIn } from './passages.ts'

const { parts, room } = workerData as { parts: readonly KnowledgePart[]; room: number }
parentPort?.postMessage(passagesIn(parts, room), [])
