// A real server and a room of 500 who answer a poll over HTTP, each with a stream of their own: how late they hear of a slide meanwhile.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startServer, type TestServer } from '../test/support/server.ts'
import { percentile, type Report, row } from './report.ts'

const env = { ROSTRUM_RATE_JOIN: 'off', ROSTRUM_RATE_ROOM: 'off', ROSTRUM_RATE_API: 'off', ROSTRUM_OWNER_EMAIL: 'maya@example.com' }

interface Person {
  attendeeId: string
  token: string
  /** When a slide came. */
  seen: number[]
  close(): void
}

interface AnswerRoom {
  server: TestServer
  sessionId: string
  pollId: string
  runId: string
  join(): Promise<Person>
  answer(person: Person, choice: number): Promise<void>
  host(action: string, more?: object): Promise<void>
  get(path: string): Promise<Record<string, never>>
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function answerRoom(): Promise<AnswerRoom> {
  const server = await startServer({
    env: { ...env, ROSTRUM_OWNER_PASSWORD: 'an orange paper boat' },
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
    async answer({ token }, choice) {
      await call('POST', `/api/v1/runs/${room.runId}/polls`, { id: randomUUID(), pollId, choice }, token)
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
    for (const message of messages) if (/^event: slide$/m.test(message)) person.seen.push(Date.now())
  }
}

const people = 500

export async function benchPolls(): Promise<Report> {
  const room = await answerRoom()
  try {
    const all: Person[] = []
    for (let at = 0; at < people; at += 25) all.push(...(await Promise.all(Array.from({ length: 25 }, () => room.join()))))
    await room.host('take_over')
    await room.host('open_poll')
    /** Milliseconds from a change of the slide until each has it, while some answer as people do: one after the other. */
    const change = async (slideIndex: number, answering: readonly Person[]) => {
      const sent = answering.map((person, at) =>
        wait(at * (1_000 / answering.length)).then(() => room.answer(person, all.indexOf(person) % 4)),
      )
      await wait(300)
      for (const { seen } of all) seen.length = 0
      const since = Date.now()
      await room.host('goto', { slideIndex })
      await wait(900)
      await Promise.all(sent)
      return all.flatMap(({ seen: [first] }) => (first === undefined ? [] : [first - since]))
    }
    await change(1, [])
    const [without, during]: [number[], number[]] = [[], []]
    // In turns, so that what else the machine does is in both.
    for (let round = 0; round < 10; round++) {
      without.push(...(await change(0, [])))
      during.push(...(await change(1, all.slice(round * 50, (round + 1) * 50))))
    }
    await room.host('show_poll')
    const figures = (await room.get(`/api/v1/agent/sessions/${room.sessionId}/analytics`)) as unknown as { polls: { results: object }[] }
    assert.deepEqual(figures.polls[0]?.results, { answers: people, counts: [125, 125, 125, 125] })
    for (const person of all) person.close()
    const at = (share: number) => [during, without].map((ms) => percentile(ms, share))
    const later = (share: number) => at(share).reduce((a, b) => a - b)
    const told = (share: number) => `${at(share).join(' against ')} ms`
    return {
      suite: 'Polls',
      rows: [
        row(
          'a slide reaches all 500 while they answer a poll, and without',
          `${during.length} and ${without.length}`,
          `${10 * people} each`,
          during.length === 10 * people && without.length === during.length,
        ),
        row('until it does, p50', told(0.5), '<= 5 ms more', later(0.5) <= 5),
        row('until it does, p95', told(0.95), '<= 20 ms more', later(0.95) <= 20),
      ],
      figures: {
        duringP50Ms: at(0.5)[0] ?? 0,
        duringP95Ms: at(0.95)[0] ?? 0,
        withoutP50Ms: at(0.5)[1] ?? 0,
        withoutP95Ms: at(0.95)[1] ?? 0,
      },
    }
  } finally {
    await room.server.stop()
  }
}
