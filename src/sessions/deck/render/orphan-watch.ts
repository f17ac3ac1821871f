// Ends a reader whose server has gone. The main thread may be deep inside a decoder and hear nothing for hours, so a thread of
// its own watches: an orphan has another parent.
import { Worker } from 'node:worker_threads'

const watch = `
const parent = process.ppid
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
`

export function endWithParent(): void {
  const worker = new Worker(watch, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } })
  worker.unref()
  // Without the watch the limits of the server still hold while it lives.
  worker.on('error', () => {})
}
