// A host who works while others attack, in a thread of its own so that the attacker beside it does not lengthen its waits: lists its
// sessions again and again, and posts how long each answer took, in ms, once it is told to end.
import { parentPort, workerData } from 'node:worker_threads'

const everyMs = 150
const patienceMs = 30_000

const { url, keys } = workerData as { url: string; keys: readonly string[] }
const waits: number[] = []
let isOver = false
parentPort?.once('message', () => (isOver = true))

for (let turn = 0; !isOver; turn++) {
  const since = performance.now()
  // Each key in its turn: a host has several programs, and a key may ask twice a second.
  const headers = { Authorization: `Bearer ${keys[turn % keys.length]}` }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs) }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  waits.push(answer?.ok === true ? performance.now() - since : patienceMs)
  await new Promise((resolve) => void setTimeout(resolve, Math.max(0, everyMs - (performance.now() - since))))
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of threads, not of windows
parentPort?.postMessage(waits)
