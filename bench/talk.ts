// How long a person waits: from joining to the first sentence, and from asking to the first sentence of the answer, measured
// at the socket of a client beside the server.
import { startServer } from '../test/support/server.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'

const joinOwedMs = 150
const answerOwedMs = 50

const deck = {
  title: 'Grid storage',
  isLive: true,
  slides: Array.from({ length: 12 }, (_, i) => ({
    textContent: `Part ${i + 1}\n- A battery shifts the evening peak by ${i + 2} hours\n- Rack ${i + 1} costs ${i * 100 + 90} EUR per kWh\n- It weighs ${i + 30} kg`,
  })),
  knowledgeBase: Array.from({ length: 20 }, (_, i) => ({
    title: `Note ${i}`,
    content: `Site ${i} was opened in ${1990 + i} by the mayor of town ${i}.`,
  })),
}
const questions = ['What does rack 3 cost?', 'How much does it weigh?', 'When was site 4 opened?', 'Who invented the telephone?']

export async function benchTalk(people = 60): Promise<Report> {
  // All these people come from one address.
  const limits = { ROSTRUM_RATE_JOIN: 'off', ROSTRUM_RATE_ROOM: 'off', ROSTRUM_RATE_QUESTIONS: 'off', ROSTRUM_OPEN_RUNS_ADDRESS: 'off' }
  const server = await startServer({ env: limits })
  try {
    const key = await server.command('key', 'create', '--name', 'bench')
    const send = (path: string, body: unknown, token: string) =>
      fetch(`${server.baseUrl}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      }).then((response) => response.json() as Promise<Record<string, string>>)
    const { slug = '' } = await send('/api/v1/agent/sessions', deck, key)
    const joins: number[] = []
    const answers: number[] = []
    for (let i = 0; i < people; i++) {
      const began = performance.now()
      const joined = await send(`/api/v1/rooms/${slug}/attendees`, {}, '')
      const follow = await followStream(joined['stream'] ?? '', joined['attendeeToken'] ?? '')
      const act = (path: string, body: object) =>
        send(`/api/v1/runs/${joined['runId']}/${path}`, { id: crypto.randomUUID(), ...body }, joined['attendeeToken'] ?? '')
      const firstBeat = follow.next('event: beat')
      await act('control', { action: 'start' })
      joins.push((await firstBeat) - began)
      const asked = performance.now()
      const firstSentence = follow.next('"phase":"sentence"')
      await act('questions', { text: questions[i % questions.length], interrupt: true })
      answers.push((await firstSentence) - asked)
      follow.close()
    }
    // The first of each warms what every later one finds: code, script, index.
    const [joinMs, answerMs] = [percentile(joins.slice(1), 0.95), percentile(answers.slice(1), 0.95)]
    return {
      suite: 'Talk',
      rows: [
        {
          claim: 'join to first sentence, p95',
          measured: `${joinMs.toFixed(1)} ms`,
          owed: `<= ${joinOwedMs} ms`,
          holds: joinMs <= joinOwedMs,
        },
        {
          claim: 'question to first sentence of the answer, p95',
          measured: `${answerMs.toFixed(1)} ms`,
          owed: `<= ${answerOwedMs} ms`,
          holds: answerMs <= answerOwedMs,
        },
      ],
      figures: { joinMs, answerMs, joinMedianMs: median(joins), answerMedianMs: median(answers) },
    }
  } finally {
    await server.stop()
  }
}

async function followStream(url: string, token: string) {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal: abort.signal })
  const waiting: { mark: string; resolve: (at: number) => void }[] = []
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk, { stream: true })
      const at = performance.now()
      for (const wanted of waiting.filter(({ mark }) => text.includes(mark))) {
        waiting.splice(waiting.indexOf(wanted), 1)
        wanted.resolve(at)
      }
    }
  })().catch(() => undefined)
  return {
    /** When the next message that holds `mark` has come. */
    next: (mark: string) => new Promise<number>((resolve) => waiting.push({ mark, resolve })),
    close: () => abort.abort(),
  }
}
