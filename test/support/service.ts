// The whole service in this process, on a store of the caller's choice and a clock that the test moves: every operation through
// the real HTTP app, as a client would call it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { issueKey } from '../../server/accounts/keys.ts'
import { operator } from '../../server/accounts/audit.ts'
import type { Config } from '../../server/config/config.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Ids, systemIds } from '@rostrum/base/clock'
import { type Scope, scopes } from '../../server/platform/principal.ts'
import type { Areas } from '../../server/areas.ts'
import { createAreas } from '../../server/areas.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { createSurfaces } from '../../server/surfaces.ts'
import type { WebBundle } from '../../web/src/server/types.ts'
import type { ManualClock } from './clock.ts'
import { manualClock, settle } from './clock.ts'
import type { OpenStore } from './stores.ts'
import { onlyDeclared, undeclaredIn } from './declared.ts'
import { openTestStore, testOutbox } from './stores.ts'

/** Pages as one line of text: what they show is tested in a browser. */
export const plainWeb: WebBundle = {
  renderRoom: (room, { key }) =>
    `<h1>${room.title}</h1><p>${key}</p><script type="application/json" id="boot">${JSON.stringify(room)}</script>`,
  renderPage: (name, props, { csrf }) =>
    `<h1>${name}</h1><pre>${JSON.stringify(props)}</pre>${csrf === undefined ? '' : `<form method="post"><input type="hidden" name="csrf" value="${csrf}"></form>`}`,
  pickLanguage: () => 'en',
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  bytes: Uint8Array
  /** The JSON body; undefined where there is none. */
  // Tests read members of answers whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface RoomMessage {
  id: string
  event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

export interface TestService {
  service: Areas
  store: Store
  clock: ManualClock
  baseUrl: string
  config: Config
  accountId: string
  /** A key with every scope. */
  key: string
  /** A further key, of another account unless one is named. */
  newKey(options?: { accountId?: string; scopes?: readonly Scope[] }): Promise<string>
  /** Any address, with any headers. */
  request(path: string, init?: RequestInit): Promise<Answer>
  /** An API call with the key, or with the token given; a body is sent as JSON. */
  api(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>
  /** Follows an event stream; `read` gives the messages that have come since. */
  stream(path: string, token: string): Promise<{ read(): Promise<RoomMessage[]>; close(): Promise<void> }>
  close(): Promise<void>
}

export interface TestServiceOptions {
  store?: Store
  env?: Readonly<Record<string, string>>
  ids?: Ids
  /** Shared with another process on the same store. */
  clock?: ManualClock
  /** No other process uses the store. */
  isAlone?: boolean
}

const logNothing = { info() {}, warn() {}, error() {}, debug() {} }

/** Opens the service on a store, runs `fn`, and closes it before the store goes. */
export async function withService(
  open: OpenStore,
  fn: (app: TestService) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const app = await openService({ store: (await open()).store, env })
  try {
    await fn(app)
  } finally {
    await app.close()
  }
}

export async function openService({
  store: given,
  env = {},
  ids = systemIds,
  clock = manualClock(),
  isAlone = true,
}: TestServiceOptions = {}): Promise<TestService> {
  const baseUrl = testOutbox.baseUrl
  const dataDir = mkdtempSync(join(tmpdir(), 'rostrum-service-'))
  const secret = 'tests-sign-with-this-0123456789-abcdefghijklmnop'
  const { config, problems } = readConfig({
    ROSTRUM_BASE_URL: baseUrl,
    ROSTRUM_DATA_DIR: dataDir,
    ROSTRUM_SECRET: secret,
    ROSTRUM_RATE_API: 'off',
    ROSTRUM_RATE_LEAD: 'off',
    ROSTRUM_RATE_PAP: 'off',
    ROSTRUM_RATE_QUESTIONS: 'off',
    ...env,
  })
  if (config === undefined) throw new Error(problems.join('\n'))
  const store = given ?? (await openTestStore({ clock }))
  const log: string[] = []
  const failures = { ...logNothing, error: (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`) }
  const passwordCost = { memoryKib: 64, passes: 1 }
  const undeclared: string[] = []
  const made = createAreas(config, {
    store,
    clock,
    ids,
    log: failures,
    secrets: [secret],
    isAlone,
    version: '0.0.0',
    passwordCost,
  })
  const service = { ...made, operations: made.operations.map((each) => onlyDeclared(each, (words) => undeclared.push(words))) }
  const http = createSurfaces(config, { areas: service, store, clock, ids, log: failures, web: plainWeb, isStarted: () => true })
  await service.start()
  const accountId = await ensureOwnerAccount(store, ids, 'Rostrum', clock.now())

  const newKey: TestService['newKey'] = async ({ accountId: owner = systemIds.uuid(), scopes: held = scopes } = {}) => {
    if (owner !== accountId) {
      await store.write((tx) =>
        tx
          .insertInto('accounts')
          .values({
            id: owner,
            name: 'Other',
            kind: 'organization',
            is_owner: null,
            plan: null,
            merged_into: null,
            closed_at: null,
            created_at: clock.now(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
    }
    const made = await issueKey({ store, ids }, operator(clock.now()), {
      accountId: owner,
      name: 'test',
      scopes: held,
      lifeMs: null,
    })
    return made.key
  }
  const key = await newKey({ accountId })
  const request: TestService['request'] = async (path, init) => {
    const response = await http.app.request(path.startsWith('http') ? path : `${baseUrl}${path}`, init)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    if (undeclared.length > 0) throw new Error(undeclared.join('\n'))
    return { status: response.status, headers: response.headers, text, bytes, body: isJson && text !== '' ? JSON.parse(text) : undefined }
  }
  return {
    service,
    store,
    clock,
    baseUrl,
    config,
    accountId,
    key,
    newKey,
    request,
    api: (method, path, body, token = key) =>
      request(path, {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async stream(path, token) {
      const response = await http.app.request(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${token}` } })
      const reader = response.body?.getReader()
      if (response.status !== 200 || reader === undefined) throw new Error(`The stream answered ${response.status}.`)
      let text = ''
      void (async () => {
        const decoder = new TextDecoder()
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return
          text += decoder.decode(value, { stream: true })
        }
      })()
      return {
        async read() {
          await settle()
          const end = text.lastIndexOf('\n\n')
          const whole = end === -1 ? '' : text.slice(0, end)
          text = end === -1 ? text : text.slice(end + 2)
          return whole.split('\n\n').flatMap(toMessage)
        },
        close: () => reader.cancel(),
      }
    },
    async close() {
      await service.drain()
      await http.close()
      await service.close()
      if (given === undefined) await store.close()
      rmSync(dataDir, { recursive: true, force: true })
      if (log.length > 0) throw new Error(`The service logged failures:\n${log.join('\n')}`)
    },
  }
}

function toMessage(block: string): RoomMessage[] {
  const lines = block.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const data = field('data')
  if (data === undefined) return []
  const message = { id: field('id') ?? '', event: field('event') ?? 'message', data: JSON.parse(data) }
  assert.deepEqual(undeclaredIn(message.event, message.data), [], 'the stream sends what is not declared')
  return [message]
}
