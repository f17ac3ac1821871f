// What a stranger may send to hold a server, at the lengths that are taken: for the test and for the bench.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filled } from './largest.ts'
import { startServer } from './server.ts'

/** Each was slow for one pattern or parser once, or is of a kind that is. */
export const pumps: Readonly<Record<string, string>> = {
  'line ends': '\n',
  spaces: ' ',
  dots: '.',
  letters: 'a',
  brackets: '[',
  pipes: '| ',
  fences: '```\n',
  digits: '1,',
  bullets: '- item x\n',
  'short lines': 'a\n',
  directives: '[ask: why?]\n',
  words: 'word ',
  sentences: 'One two three. ',
  addresses: 'a@b.',
  links: '[a](http://b ',
  'sentences of Japanese': 'そうです。',
  'signs that stand for eighteen letters': '\u{fdfa}',
  acronyms: 'U.S.A. ',
  quotes: '"a" ',
  headings: '# a\n',
  'headings below headings': '# a\n## b\n### c\n',
  'lists in lists': '- a\n  - b\n    - c\n      - d\n',
  'one long line': 'Heat pumps move warmth and cost money ',
  'one word repeated': 'buffalo ',
  'many short sentences': 'It is. ',
  questions: 'Why is it? ',
  Chinese: '值得信赖的产品，',
  Arabic: 'ما هي التكلفة؟ ',
  'combining marks': 'e\u0301\u0302\u0303\u0304',
  'web addresses': 'https://example.com/a?b=c ',
  'addresses of mail': 'ann@example.com, ',
  'phone numbers': '+49 30 1234567 ',
  numbers: '1,234.56 ',
  years: '2024-2026: 12 % ',
  'tables of Markdown': '| a | b |\n|---|---|\n| 1 | 2 |\n',
  'deep quotes': '> > > > a\n',
  'tags of HTML': '<div class="a"><b>',
  'comments of HTML': '<!-- a -->',
  'zero-width characters': 'a\u200b\u200d\u2060',
  'deep JSON': '{"a":[',
  emphasis: '**a** _b_ `c` ',
  references: '[a]: http://b\n',
  'halves of pairs': 'a\u202eb ',
  emoji: '👩‍👩‍👧‍👦 ',
}

const headerNames = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Encoding',
  'Cookie',
  'If-None-Match',
  'Origin',
  'Range',
  'traceparent',
]

export interface HostileServer {
  /** Sends decks, notes, passages, questions, names, headers and Markdown made of `pump`; the longest turn of the server's thread, in ms of CPU. */
  stallOf(pump: string): Promise<number>
  /** The same for a body of 16 MiB with as many values as fit. */
  stallOfValues(): Promise<number>
  /** The same for a deck of 300 slides of Chinese, as large as a body may be. */
  stallOfDeck(): Promise<number>
  /** Answers of `/healthz` so far, asked all the while. */
  healthy(): number
  stop(): Promise<void>
}

export async function startHostile(): Promise<HostileServer> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-stall-'))
  const socket = join(directory, 'stall')
  const limits = Object.fromEntries(
    ['API', 'UPLOAD', 'PAP', 'ROOM', 'QUESTIONS', 'LEAD', 'REPORT'].map((bucket) => [`ROSTRUM_RATE_${bucket}`, '1000000/1m']),
  )
  const watch = fileURLToPath(new URL('stall-watch.ts', import.meta.url))
  const server = await startServer({
    env: { ...limits, ROSTRUM_PLAN_SESSIONS: '1000000', STALL_SOCKET: socket, NODE_OPTIONS: `--import=${watch}` },
  })
  const key = await server.command('key', 'create', '--name', 'hostile')
  const home = '/api/v1/agent/sessions'
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  async function send(method: string, path: string, body?: string, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const answer = await fetch(server.baseUrl + path, { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) })
    const text = await answer.text()
    if (answer.status >= 500) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`)
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  }
  const sendJson = (method: string, path: string, body: object, more?: Record<string, string>) =>
    send(method, path, JSON.stringify(body), more)

  let [asked, healthy, isOver] = [Promise.resolve(), 0, false]
  const askHealth = async (): Promise<void> => {
    while (!isOver) {
      if ((await fetch(`${server.baseUrl}/healthz`)).ok) healthy += 1
      await new Promise((resolve) => void setTimeout(resolve, 20))
    }
  }
  asked = askHealth()

  async function act(pump: string): Promise<void> {
    const word = `Fact ${filled(pump, 19_900)}`.toWellFormed()
    const slides = Array.from({ length: 8 }, () => ({ title: 'Fact', textContent: word, agentNotes: word }))
    const created = await sendJson('POST', home, { title: `Fact ${filled(pump, 100).toWellFormed()}`, slides })
    const sessionId = String(created['sessionId'])
    const at = `${home}/${sessionId}`
    const passages = Array.from({ length: 4 }, () => ({ content: `Fact ${filled(pump, 49_000)}`.toWellFormed() }))
    await sendJson('PUT', `${at}/knowledge`, { passages })
    await send('POST', `${at}/publish`)
    await send('GET', `${at}/script`)
    const name = `x${filled(pump, 190)}`.toWellFormed()
    const messages = ['What is the fact about the items?', `Fact ${filled(pump, 3_900)}`.toWellFormed()]
    for (const message of messages) await sendJson('POST', '/api/v1/pap/query', { sessionId, message, attendeeName: name })
    const joined = await sendJson('POST', `/api/v1/rooms/${String(created['slug'])}/attendees`, { name })
    const own = { Authorization: `Bearer ${String(joined['attendeeToken'])}` }
    for (const text of messages) {
      const question = { id: crypto.randomUUID(), text }
      await sendJson('POST', `/api/v1/runs/${String(joined['runId'])}/questions`, question, own)
    }
    const details = { name, email: `${crypto.randomUUID()}@example.com`, company: name, notes: messages[1] }
    await sendJson('POST', '/api/v1/pap/leads', { sessionId, ...details })
    await sendJson('POST', `/api/v1/runs/${String(joined['runId'])}/lead`, { id: crypto.randomUUID(), consent: true, ...details }, own)
    await sendJson('POST', `/api/v1/rooms/${String(created['slug'])}/reports`, { reason: 'fraud', words: `Fact ${filled(pump, 900)}` })
    await send('GET', `${at}/transcripts?${new URLSearchParams({ q: `act ${filled(pump, 60)}`.toWellFormed() }).toString()}`)
    await send('GET', `${at}/leads`, undefined, { Accept: 'text/csv' })
    await send('POST', `${at}/knowledge/files`, `# Fact\n${filled(pump, 300_000)}`, { 'Content-Type': 'text/markdown' })
    await sendJson('POST', `${at}/rehearsals`, {})
    const value = `x${filled(pump, 12_000).replaceAll(/[^\x20-\x7e]/gu, ' ')}x`
    for (const header of headerNames) await send('POST', home, '{}', { [header]: value })
    await send('DELETE', at)
  }

  const longest = () =>
    new Promise<number>((resolve, reject) => {
      let told = ''
      connect(socket)
        .on('data', (chunk) => (told += chunk.toString()))
        .on('end', () => resolve(Number(told)))
        .on('error', reject)
    })
  async function during(work: () => Promise<unknown>): Promise<number> {
    await longest()
    await work()
    return longest()
  }

  // Code that has not run yet is compiled first, on this thread.
  await act('Honest words, and 5 figures. ')
  return {
    stallOf: (pump) => during(() => act(pump)),
    stallOfValues: () => during(() => send('POST', home, `{"title":"a","slides":[${filled('{},', 16_000_000)}{}]}`)),
    stallOfDeck() {
      const slides = Array.from({ length: 300 }, (_, at) => ({ title: `${at}`, textContent: filled('值得信赖的产品。', 17_000) }))
      return during(() => sendJson('POST', home, { title: 'a', slides }))
    },
    healthy: () => healthy,
    async stop() {
      isOver = true
      await asked
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
