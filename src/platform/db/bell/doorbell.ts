// The doorbell: after a commit it tells listeners which topics changed. A ring is a hint and may be lost; the store is the truth.
import type { Topic } from '../store.ts'

export type Ring = (topic: Topic) => void

export interface Doorbell {
  listen(prefix: string, listener: Ring): () => void
  /** Calls every listener whose prefix fits, once per distinct topic. A listener that throws silences nobody else. */
  ring(topics: Iterable<Topic>): void
}

export function createDoorbell(): Doorbell {
  const listeners = new Map<symbol, { prefix: string; listener: Ring }>()
  return {
    listen(prefix, listener) {
      const key = Symbol(prefix)
      listeners.set(key, { prefix, listener })
      return () => void listeners.delete(key)
    },
    ring(topics) {
      for (const topic of new Set(topics)) {
        for (const { prefix, listener } of listeners.values()) {
          if (topic.startsWith(prefix)) call(listener, topic)
        }
      }
    },
  }
}

function call(listener: Ring, topic: Topic): void {
  try {
    listener(topic)
  } catch (error) {
    process.emitWarning(`A listener of "${topic}" threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
