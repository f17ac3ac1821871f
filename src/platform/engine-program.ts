// The other side of `engine.ts`, inside the process of an engine: opens it once, then does one piece of work after the other. It ends
// with the server, whose channel closes.
import type { FromEngine, ToEngine } from './engine.ts'

/** Does one piece of work; what it throws is told in words. */
export type Work = (work: unknown, emit: (part: unknown) => void, signal: AbortSignal) => Promise<unknown>

export function serveEngine(open: (setup: unknown) => Promise<Work>): void {
  let work: Work | undefined
  let stopping = new AbortController()
  const tell = (message: FromEngine) => process.send?.(message)
  const failed = (error: unknown) => tell({ type: 'failed', detail: error instanceof Error ? error.message : String(error) })

  async function hear(message: ToEngine): Promise<void> {
    if (message.type === 'stop') return stopping.abort()
    if (message.type === 'open') {
      work = await open(message.setup)
      tell({ type: 'ready' })
      return
    }
    stopping = new AbortController()
    const result = await work?.(message.work, (part) => tell({ type: 'part', part }), stopping.signal)
    tell({ type: 'done', result })
  }

  // The server is our own code: its messages are of this type.
  process.on('message', (message) => void hear(message as ToEngine).catch(failed))
  process.on('disconnect', () => process.exit())
}
