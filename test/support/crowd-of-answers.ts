// A real server, and a room full of people who answer a poll over HTTP, each with a stream of their own.
import { randomUUID } from 'node:crypto'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'

const env = { ROSTRUM_RATE_JOIN: 'off', ROSTRUM_RATE_ROOM: 'off', ROSTRUM_RATE_API: 'off', ROSTRUM_OWNER_EMAIL: 'maya@example.com' }

export interface Person {
  attendeeId: string
  token: string
  /** The poll events that the stream has brought, with the times at which they came. */
  seen: { at: number; state: string; audit?: string }[]
  close(): void
}

export interface AnswerRoom {
  server: TestServer
  sessionId: string
  pollId: string
  runId: string
  join(): Promise<Person>
  /** Until it is acknowledged, under one id. */
  answer(person: Person, choice: number, id?: string): Promise<void>
  host(action: string, more?: object): Promise<void>
  get(path: string): Promise<Record<string, never>>
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** `store` is a data directory, or the address of a PostgreSQL database. */
export async function answerRoom(store?: string): Promise<AnswerRoom> {
  const isPostgres = store?.startsWith('postgres') === true
  const own = isPostgres ? { DATABASE_URL: store, ROSTRUM_SECRET: 'x'.repeat(32), ROSTRUM_LEASE_MS: '600' } : {}
  const server = await startServer({
    env: { ...env, ROSTRUM_OWNER_PASSWORD: 'an orange paper boat', ...own },
    ...(store !== undefined && !isPostgres && { dataDir: store }),
  })
  const key = (await server.command('key', 'create', '--name', 'polls')).split('\n').at(-1) ?? ''
  const call = async (method: string, path: string, body: object | undefined, token: string) => {
    const response = await fetch(server.baseUrl + path, {
      method,
      headers: { ...(token !== '' && { Authorization: `Bearer ${token}` }), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, never>
    if (!response.ok) throw Object.assign(new Error(`${path} ${response.status} ${JSON.stringify(answer)}`), { status: response.status })
    return answer
  }
  const slides = [
    { textContent: 'Grid\n- One point', agentNotes: '[poll 300s: How many? | One | Two | Three | Four]' },
    { textContent: 'Cost\n- Another point' },
  ]
  const made = await call(
    'POST',
    '/api/v1/agent/sessions',
    { title: 'Grid', mode: 'broadcast', isLive: true, slides, startPolicy: 'host' },
    key,
  )
  const { sessionId, slug } = made as unknown as { sessionId: string; slug: string }
  const script = (await call('GET', `/api/v1/agent/sessions/${sessionId}/script`, undefined, key)) as unknown as {
    beats: { poll?: { pollId: string } }[]
  }
  const pollId = script.beats.flatMap(({ poll }) => poll?.pollId ?? [])[0] ?? ''
  const room: AnswerRoom = {
    server,
    sessionId,
    pollId,
    runId: '',
    async join() {
      const joined = (await call('POST', `/api/v1/rooms/${slug}/attendees`, {}, '')) as unknown as {
        attendeeId: string
        attendeeToken: string
        runId: string
      }
      room.runId = joined.runId
      const aborted = new AbortController()
      const person: Person = { attendeeId: joined.attendeeId, token: joined.attendeeToken, seen: [], close: () => aborted.abort() }
      const stream = await fetch(`${server.baseUrl}/api/v1/runs/${joined.runId}/stream`, {
        headers: { Authorization: `Bearer ${person.token}` },
        signal: aborted.signal,
      })
      void listen(stream, person).catch(() => undefined)
      return person
    },
    async answer({ token }, choice, id = randomUUID()) {
      for (let tries = 0; ; tries++) {
        try {
          await call('POST', `/api/v1/runs/${room.runId}/polls`, { id, pollId, choice }, token)
          return
        } catch (error) {
          if ((error as { status?: number }).status !== undefined && (error as { status: number }).status < 500) throw error
          if (tries > 200) throw error
          await wait(50)
        }
      }
    },
    async host(action, more = {}) {
      await call('POST', `/api/v1/runs/${room.runId}/host`, { id: randomUUID(), action, pollId, ...more }, key)
    },
    get: (path) => call('GET', path, undefined, key),
  }
  return room
}

async function listen(stream: Response, person: Person): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const messages = rest.split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const state = /^event: (?:slide|poll)\n/m.exec(message) && /"index":(\d+)|"shown":(true|false)/.exec(message)
      if (state) person.seen.push({ at: Date.now(), state: state[1] ?? state[2] ?? '' })
    }
  }
}
