// Every operation that takes text or files is sent every pump at its largest, one call at a time, and what each call costs the thread of
// the server is asked of the process (`stall-watch.ts`). What there is to name (sessions, slides, runs, people) is made first.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Operation } from '../../server/platform/operation.ts'
import { filled, type Largest, type LargestIds, largestOf } from './largest.ts'
import { allOperations } from './operations.ts'
import { everyRate } from './rates.ts'
import { startServer } from './server.ts'
import { randomOf } from './sim/random.ts'

export interface Sent {
  status: number
  /** The longest turn of the server's thread, in ms of CPU. */
  stallMs: number
}

/** One way to send much text. */
export interface Target {
  /** Operation and member. */
  name: string
  /** Bytes where the body is a file. */
  send(pump: string): Promise<Sent>
}

/** In the place of a token. */
const onPage = 'page'
const mebibyte = 1_048_576
const person = { email: 'maya@example.com', password: 'a quiet orange paper boat' }
/** What a file of text may be where it is read as background, and what an upload may be: more than is worked on is still received. */
const fileBytes = { '1 MiB': mebibyte - 100, '50 MiB': 50 * mebibyte - 100 }
const filesMax = 10

export async function startEveryOperation() {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-largest-'))
  const socket = join(directory, 'stall')
  const watch = fileURLToPath(new URL('stall-watch.ts', import.meta.url))
  const rates = Object.fromEntries(Object.keys(everyRate('off')).map((bucket) => [`ROSTRUM_RATE_${bucket.toUpperCase()}`, 'off']))
  const env = {
    ...rates,
    ROSTRUM_PLAN_SESSIONS: '1000000',
    ROSTRUM_PLAN_STORAGE: '100GiB',
    ROSTRUM_OPEN_RUNS_ADDRESS: 'off',
    ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8',
    ROSTRUM_INSECURE_HTTP: '1',
    ROSTRUM_OWNER_EMAIL: person.email,
    ROSTRUM_OWNER_PASSWORD: person.password,
    STALL_SOCKET: socket,
    NODE_OPTIONS: `--import=${watch}`,
  }
  const server = await startServer({ env })
  const key = await server.command('key', 'create', '--name', 'hostile')

  /** The headers of a page where somebody is signed in; its sign-in ends with the password. */
  async function signedIn(): Promise<Record<string, string>> {
    const headers = { 'Content-Type': 'application/json', Origin: server.baseUrl }
    const answer = await fetch(`${server.baseUrl}/dashboard/sign-in`, { method: 'POST', headers, body: JSON.stringify(person) })
    const { csrf } = (await answer.json()) as { csrf: string }
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
    return { Cookie: cookies.join('; '), 'X-CSRF-Token': csrf, Origin: server.baseUrl }
  }
  const page = await signedIn()

  async function call(method: string, address: string, token: string, body?: string | ArrayBuffer, type = 'application/json') {
    const headers = {
      ...(token === onPage ? page : token !== '' && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': type }),
    }
    const answer = await fetch(server.baseUrl + address, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    if (answer.status >= 500 && answer.status !== 503)
      throw new Error(`${method} ${address} answered ${answer.status}: ${text.slice(0, 300)}`)
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}, text }
  }
  const make = async (method: string, address: string, body: object = {}, token = key) =>
    (await call(method, address, token, JSON.stringify(body))).body

  /** A talk with somebody in its room. */
  async function furnished(slides: number) {
    const words = (n: number) => ({
      title: `Part ${n}`,
      textContent: `Part ${n}\n- A battery shifts the evening peak\n- It costs ${n} EUR`,
    })
    const wanted = { title: 'Grid storage', isLive: true, slides: Array.from({ length: slides }, (_, n) => words(n)) }
    const { sessionId, slug } = await make('POST', '/api/v1/agent/sessions', wanted)
    const deck = (await call('GET', `/api/v1/agent/sessions/${String(sessionId)}/deck`, key)).body as { slides: { id: string }[] }
    const joined = await make('POST', `/api/v1/rooms/${String(slug)}/attendees`, { name: 'Ann' }, '')
    return {
      sessionId: String(sessionId),
      slug: String(slug),
      slideIds: deck.slides.map(({ id }) => id),
      runId: String(joined['runId']),
      attendee: String(joined['attendeeToken']),
    }
  }
  const small = await furnished(4)
  const wide = await furnished(300)

  const longest = () =>
    new Promise<number>((resolve, reject) => {
      let told = ''
      connect(socket)
        .on('data', (chunk) => (told += chunk.toString()))
        .on('end', () => resolve(Number(told)))
        .on('error', reject)
    })

  /** The address of an operation, of what was made; the pump where a name may be any text. */
  function addressOf({ http }: Operation, { sessionId, slug, slideIds, runId }: typeof small, pump: string): string {
    const named: Record<string, string> = { sessionId, slug, key: slug, runId, slideId: slideIds[0] ?? '', language: 'de', version: '1' }
    return (http?.path ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(named[name] ?? (/Id$|^id$/.test(name) ? randomUUID() : `x${filled(pump, 90)}`.toWellFormed())),
    )
  }

  const tokens: Partial<Record<Operation['access']['type'], string>> = { open: '', attendee: small.attendee, sign_in: onPage }
  const tokenOf = ({ access }: Operation) => tokens[access.type] ?? key

  async function measured(method: string, address: string, token: string, body?: string | ArrayBuffer, type?: string): Promise<Sent> {
    await longest()
    const { status } = await call(method, address, token, body, type)
    return { status, stallMs: await longest() }
  }

  const idsOf = (talk: typeof small): LargestIds => ({
    random: randomOf(7),
    oddShare: 0,
    url: `${server.baseUrl}/hook`,
    known: (name) => ({ sessionId: talk.sessionId, runId: talk.runId, slideId: talk.slideIds[0] })[name],
    slideIds: talk.slideIds,
  })

  function ofMember(operation: Operation, { member, of }: Largest): Target {
    const method = operation.http?.method ?? 'POST'
    return {
      name: `${operation.name} ${member}`,
      async send(pump) {
        const asked = { ...of(pump, idsOf(small)) }
        const isWide = Array.isArray(asked['slides']) && asked['slides'].some((each) => Object(each).slideId !== undefined)
        const talk = isWide ? wide : small
        const input = isWide ? of(pump, idsOf(wide)) : asked
        const address = addressOf(operation, talk, pump)
        if (method !== 'GET' && method !== 'DELETE') return measured(method, address, tokenOf(operation), JSON.stringify(input))
        const query = new URLSearchParams()
        // A line of an address ends somewhere: all headers together take 16 KiB.
        for (const [name, value] of Object.entries(input)) query.set(name, String(value).slice(0, 1_000).toWellFormed())
        return measured(method, `${address}?${query.toString().slice(0, 12_000)}`, tokenOf(operation))
      },
    }
  }

  /** As a file of text, and as ten of them in a form; each at what is read of it and at what is received. */
  function ofFiles(operation: Operation): Target[] {
    const { method = 'PUT', bodyTypes = [] } = operation.http ?? {}
    const text = (pump: string, bytes: number) => filled(pump, Math.floor((bytes * pump.length) / Buffer.byteLength(pump))).toWellFormed()
    const alone = bodyTypes
      .filter((type) => type.startsWith('text/'))
      .flatMap((type) =>
        Object.entries(fileBytes).map(([size, bytes]): Target => ({
          name: `${operation.name} as ${type} of ${size}`,
          send: (pump) => measured(method, addressOf(operation, small, pump), tokenOf(operation), text(pump, bytes), type),
        })),
      )
    if (!bodyTypes.includes('multipart/form-data')) return alone
    const form = (name: string, bytes: number): Target => ({
      name: `${operation.name} as ${name}`,
      async send(pump) {
        const form = new FormData()
        const file = new Blob([text(pump, bytes)])
        for (let n = 0; n < filesMax; n++)
          form.append(
            'file',
            file,
            `${n}${filled(pump, 100)
              .toWellFormed()
              .replaceAll(/["\r\n]/g, '')}.md`,
          )
        const encoded = new Response(form)
        const type = encoded.headers.get('content-type') ?? ''
        return measured(method, addressOf(operation, small, pump), tokenOf(operation), await encoded.arrayBuffer(), type)
      },
    })
    return [
      ...alone,
      form('ten files', fileBytes['1 MiB']),
      form('ten files of 50 MiB together', Math.floor(fileBytes['50 MiB'] / filesMax)),
    ]
  }

  return {
    targets: allOperations
      .filter(({ http }) => http !== undefined && http.feed === undefined)
      // It ends the sign-in of the others.
      .toSorted((a, b) => Number(a.name === 'set_password') - Number(b.name === 'set_password'))
      .flatMap((operation) => [...largestOf(operation).map((largest) => ofMember(operation, largest)), ...ofFiles(operation)]),
    async stop() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
