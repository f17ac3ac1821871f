// What is said in a room and when, as one more attendee hears it: peers are given the same to say.
import { setTimeout } from 'node:timers/promises'

/** One event. */
export interface Said {
  /** Milliseconds after the first that was heard with it. */
  afterMs: number
  bytes: number
}

/** The same with what is said at one moment as one event. */
export function joined(said: readonly Said[]): Said[] {
  const moments: Said[] = []
  for (const { afterMs, bytes } of said) {
    const last = moments.at(-1)
    if (last?.afterMs === afterMs) last.bytes += bytes
    else moments.push({ afterMs, bytes })
  }
  return moments
}

export interface Heard {
  /** What was said since the last time. */
  take(): Said[]
  close(): void
}

/** Resolves when the stream has begun. */
export async function hear(url: string, token: string): Promise<Heard> {
  const gone = new AbortController()
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal: gone.signal })
  if (response.body === null) throw new Error('The room has no stream.')
  let said: { at: number; bytes: number }[] = []
  const listen = async (body: ReadableStream<Uint8Array>) => {
    let rest = ''
    for await (const chunk of body) {
      const messages = `${rest}${Buffer.from(chunk).toString('latin1')}`.split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) {
        if (message === ':') continue
        const at = Number(/"at":(\d+)/.exec(message)?.[1] ?? Date.now())
        said.push({ at, bytes: message.length + 2 })
      }
    }
  }
  // It ends with the server or with us.
  listen(response.body).catch(() => undefined)
  while (said.length === 0) await setTimeout(10)
  return {
    take() {
      const taken = said
      said = []
      const first = taken[0]?.at ?? 0
      return taken.map(({ at, bytes }) => ({ afterMs: at - first, bytes }))
    },
    close: () => gone.abort(),
  }
}
