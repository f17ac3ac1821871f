// What strangers may do with default settings, without a credential or as an agent that nobody has claimed; each ends by itself.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { buildPdf } from '../../test/support/documents.ts'
import { slowPdf } from './files.ts'
import { sessionsPath, type Stage } from './stage.ts'

export interface Attack {
  name: string
  run(stage: Stage): Promise<Told>
}

export interface Told {
  /** What came of it. */
  words: string
  /** Whether that is as it should be, where size, stall and wait do not say so. */
  holds?: boolean
}

const tally = (values: readonly (number | string)[]) =>
  [...Map.groupBy(values, (value) => value)].map(([value, all]) => `${all.length} x ${value}`).join(', ')

/** Does it again and again in so many lanes until the time is over; gives what each time came of it. */
async function repeated<T>(seconds: number, lanes: number, act: () => Promise<T>): Promise<T[]> {
  const end = performance.now() + seconds * 1_000
  const all: T[] = []
  const lane = async () => {
    while (performance.now() < end) all.push(await act())
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return all
}

const rangesOfOneByte: Attack = {
  name: 'ranges of one byte of a big film, 20 at once',
  async run({ baseUrl, host, sizes }) {
    const statuses = await repeated(sizes.seconds, 20, async () => {
      const answer = await fetch(baseUrl + host.filmPath, { headers: { Range: 'bytes=1000-1000' } })
      await answer.arrayBuffer()
      return answer.status
    })
    return { words: tally(statuses) }
  },
}

const unreadDownloads: Attack = {
  name: '20 downloads of it that nobody reads',
  async run({ raw, host, sizes }) {
    const lines = Array.from({ length: 20 }, () => raw([`GET ${host.filmPath} HTTP/1.1`]))
    await setTimeout(sizes.seconds * 1_000)
    const cut = lines.filter(({ destroyed }) => destroyed).length
    for (const line of lines) line.destroy()
    return { words: `${cut} of 20 cut by the server` }
  },
}

/** On a busy machine an attack takes longer to get going: so many times as long as it is to go on. */
const patience = 6

/** Sends all but the last bytes of so many bodies at once, and waits; gives the answers that came nevertheless. */
async function unfinished(stage: Stage, heads: readonly string[], sizeBytes: number): Promise<Told> {
  const part = Buffer.alloc(1_048_576, 'a')
  const statuses: string[] = []
  const lines = heads.map((head) => {
    const line = stage.raw([head, `Content-Length: ${sizeBytes}`])
    const at = statuses.push('no answer') - 1
    line.once('data', (chunk: Buffer) => (statuses[at] = chunk.toString('latin1', 9, 12)))
    return line
  })
  const over = AbortSignal.timeout(stage.sizes.seconds * patience * 1_000)
  const send = async (line: (typeof lines)[number]) => {
    try {
      for (let sent = 0; sent + part.length < sizeBytes && !line.destroyed; sent += part.length)
        if (!line.write(part)) await once(line, 'drain', { signal: over })
    } catch {
      // The time is over.
    }
  }
  await Promise.all(lines.map(send))
  await setTimeout(stage.sizes.seconds * 1_000)
  for (const line of lines) line.destroy()
  return { words: tally(statuses) }
}

const unfinishedDecks: Attack = {
  name: '16 deck uploads that never end',
  async run(stage) {
    const token = await stage.stranger()
    const { sessionId } = await stage.made('POST', sessionsPath, { token, body: { title: 'a' } })
    const head = `PUT ${sessionsPath}/${String(sessionId)}/deck HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/markdown`
    return unfinished(
      stage,
      Array.from({ length: 16 }, () => head),
      50 * 1_048_576,
    )
  },
}

const inventedFilms: Attack = {
  name: '8 films to ids that do not exist',
  async run(stage) {
    const token = await stage.stranger()
    const heads = Array.from({ length: 8 }, () => {
      const path = `${sessionsPath}/${randomUUID()}/recordings/${randomUUID()}/file`
      return `PUT ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: video/webm`
    })
    return unfinished(stage, heads, 256 * 1_048_576)
  },
}

const readMost = 180
const readOwed = 30

const slowDocuments: Attack = {
  name: "3 slow PDFs before a host's of one page",
  async run({ stranger, made, ask, until }) {
    const token = await stranger()
    for (let n = 0; n < 3; n++) {
      const { sessionId } = await made('POST', sessionsPath, { token, body: { title: 'a' } })
      // A few bytes differ: nobody finds the pages of another reading.
      await ask('PUT', `${sessionsPath}/${String(sessionId)}/deck`, { token, body: slowPdf(25, `Copy ${n}`), type: 'application/pdf' })
    }
    await setTimeout(1_000)
    const since = performance.now()
    const { sessionId } = await made('POST', sessionsPath, { body: { title: 'One page' } })
    const deck = `${sessionsPath}/${String(sessionId)}/deck`
    const page = buildPdf([{ lines: ['What heat pumps cost', 'EUR 24,600 installed'] }])
    await made('PUT', deck, { body: page, type: 'application/pdf' })
    const state = await until(readMost, async () => {
      const { state } = (await made('GET', deck)) as { state?: string }
      return state === 'processing' || state === 'pending' ? undefined : state
    })
    const seconds = (performance.now() - since) / 1_000
    if (state === undefined) return { words: `the page waits for more than ${readMost} s`, holds: false }
    return { words: `${state} after ${seconds.toFixed(1)} s`, holds: state === 'ready' && seconds <= readOwed }
  },
}

const headings: Attack = {
  name: '1 MB of headings as background',
  async run({ stranger, made, ask, sizes }) {
    const token = await stranger()
    const { sessionId } = await made('POST', sessionsPath, { token, body: { title: 'a' } })
    const body = '# a\n'.repeat(262_000)
    const path = `${sessionsPath}/${String(sessionId)}/knowledge/files`
    const statuses = await repeated(sizes.seconds, 2, async () => (await ask('POST', path, { token, body, type: 'text/markdown' })).status)
    return { words: tally(statuses) }
  },
}

const joinsOfOneNetwork: Attack = {
  name: 'joins of a one-to-one talk from one /48',
  async run({ ask, host, sizes }) {
    const path = `/api/v1/rooms/${host.slug}/attendees`
    const join = async (address: string) => (await ask('POST', path, { token: '', address, body: {} })).status
    let [network, refused] = [0, 0]
    const since = performance.now()
    const end = since + sizes.seconds * patience * 1_000
    const lane = async () => {
      // Refused again and again, they have done what they can.
      while (performance.now() < end && refused < 200)
        if ((await join(`2001:db8:7:${(++network >> 4).toString(16)}::${(network & 15) + 1}`)) !== 200) refused++
    }
    await Promise.all(Array.from({ length: 16 }, lane))
    const seconds = ((performance.now() - since) / 1_000).toFixed(0)
    const honest = await join('203.0.113.9')
    return {
      words: `${network - refused} of ${network} were let in within ${seconds} s; a person of another network then: ${honest}`,
      holds: honest === 200,
    }
  },
}

/** A stay of this length is one that counts. */
const heardMs = 12_000

const minutesOfOneAddress: Attack = {
  name: 'minutes burnt from one address',
  async run({ ask, made, host, raw, minutesOfPlan }) {
    const address = '203.0.113.77'
    const room = `/api/v1/rooms/${host.slug}/attendees`
    const used = async () => ((await made('GET', '/api/v1/agent/usage'))['minutes'] as { used: number }).used
    const before = await used()
    const since = performance.now()
    const visit = async (): Promise<string> => {
      const { status, body } = await ask('POST', room, { token: '', address, body: {} })
      if (status !== 200) return `refused ${status}`
      const token = String(body['attendeeToken'])
      const run = `/api/v1/runs/${String(body['runId'])}`
      const line = raw([`GET ${run}/stream HTTP/1.1`, `Authorization: Bearer ${token}`, `X-Forwarded-For: ${address}`], undefined, true)
      const started = await ask('POST', `${run}/control`, { token, address, body: { id: randomUUID(), action: 'start' } })
      await setTimeout(heardMs)
      await ask('POST', `${run}/leave`, { token, address, body: {} })
      line.destroy()
      return `begun ${started.status}`
    }
    const visits = await Promise.all(Array.from({ length: minutesOfPlan + 10 }, visit))
    const burnt = (await used()) - before
    const seconds = ((performance.now() - since) / 1_000).toFixed(0)
    const honest = await ask('POST', room, { token: '', address: '192.0.2.9', body: {} })
    const words = `${burnt} of ${minutesOfPlan} minutes in ${seconds} s (${tally(visits)}); a person of another network then: ${honest.status}`
    return { words, holds: honest.status === 200 }
  },
}

export const attacks: readonly Attack[] = [
  rangesOfOneByte,
  unreadDownloads,
  unfinishedDecks,
  inventedFilms,
  slowDocuments,
  headings,
  joinsOfOneNetwork,
  minutesOfOneAddress,
]
