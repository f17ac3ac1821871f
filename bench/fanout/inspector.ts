// A process under measure, asked through its inspector to let go of everything that nothing holds: what is resident then is what is
// kept, and not how much garbage the engine happens to put up with.
import { setTimeout as wait } from 'node:timers/promises'

/** For the environment of the process: an inspector on a port of its own, told on stderr. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Collects all garbage of the process that printed `printed`, and gives pages back. */
export async function collectGarbage(printed: string): Promise<void> {
  const address = /Debugger listening on (ws:\S+)/.exec(printed)?.[1]
  if (address === undefined) throw new Error('The process has no inspector.')
  const socket = new WebSocket(address)
  try {
    await happens(socket, 'open')
    // Twice: what was awaited while the first one ran is free for the second.
    for (let id = 1; id <= 2; id++) {
      const answered = happens(socket, 'message')
      socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }))
      await answered
      await wait(1_000)
    }
  } finally {
    socket.close()
  }
}

function happens(socket: WebSocket, type: 'open' | 'message'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(type, () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error('The inspector does not answer.')), { once: true })
  })
}
