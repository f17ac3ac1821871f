// Decks as the program joins them, over real parts: an embedded store, files in a temporary directory, an outbound client
// that reaches the loopback address alone, the reader process, and the HTTP surface in front.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileBlobs } from '../../server/platform/blobs/blob-stores.ts'
import { createDecks, type Decks } from '../../server/deck-areas.ts'
import { deleteSlide, updateDeck, updateSlide } from '../../server/decks/operations/change-deck.ts'
import { getDeck } from '../../server/decks/operations/get-deck.ts'
import { getKnowledge, putKnowledge } from '../../server/knowledge/knowledge.ts'
import { getScript } from '../../server/scripts/put-script.ts'
import { putDeck } from '../../server/decks/operations/put-deck.ts'
import { createCompiler, type ScriptCompiler } from '@rostrum/telling/compiler'
import { updateBeat } from '../../server/scripts/update-beat.ts'
import { type Office, officeOf } from '@rostrum/deck/render/office'
import { type ReadLimits, readLimits } from '@rostrum/deck/render/read-document'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { createThreads } from '@rostrum/base/work'
import { createJobs, type Jobs } from '../../server/platform/db/jobs.ts'
import type { Principal } from '../../server/platform/principal.ts'
import { createOutbound, type Outbound } from '../../server/platform/egress/outbound.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { startDnsServer } from './dns-server.ts'
import { baseUrl, openHttp } from './http.ts'
import { loopbackConfig } from './outbound.ts'
import { patienceMs } from './patience.ts'
import { sessionRow } from './rows.ts'
import { openTestStore } from './stores.ts'

export interface TestDecks {
  decks: Decks
  jobs: Jobs
  store: Store
  /** Where the blobs are. */
  directory: string
  /** Problems that the operator would read. */
  warned: string[]
  /** As the owner of the session. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** The path of a new session's resource. */
  newSession(accountId?: string): Promise<string>
  close(): Promise<void>
}

const principalOf = (accountId: string): Principal => ({
  kind: 'api_key',
  accountId,
  credentialId: accountId,
  scopes: ['sessions:read', 'sessions:write'],
  label: 'test',
})

/** A machine may be so busy that a good page takes longer than a bad one may in service. */
export const patientLimits: ReadLimits = { ...readLimits, openMs: patienceMs, pageMs: patienceMs, documentMs: patienceMs }

export interface DeckOptions {
  /** On the data of another, as after a restart. */
  before?: TestDecks
  /** False: as in a process of role `web`. */
  compiles?: boolean
  limits?: ReadLimits
  /** `ROSTRUM_PLAN_READING`; absent: no limit. */
  readingMs?: number
  /** `ROSTRUM_SOFFICE`, or what else draws presentations. */
  office?: string | Office
  outbound?: Outbound
  compiler?: ScriptCompiler
}

export async function openDecks(options: DeckOptions = {}): Promise<TestDecks> {
  const store = options.before?.store ?? (await openTestStore())
  const directory = options.before?.directory ?? mkdtempSync(join(tmpdir(), 'rostrum-blobs-'))
  const dns = await startDnsServer((name) =>
    name === 'private.org' ? { addresses: ['10.0.0.1'] } : name === 'local.test' ? { addresses: ['127.0.0.1'] } : 'nxdomain',
  )
  const own = createOutbound(loopbackConfig(dns.address), { clock: systemClock, userAgent: 'Rostrum-Test', hosts: '' })
  const outbound = options.outbound ?? own
  const warned: string[] = []
  const decks = createDecks({
    store,
    clock: systemClock,
    ids: systemIds,
    storageLimit: null,
    unclaimed: { knowledgeBytes: null, claimUriOf: async () => undefined },
    readingMs: options.readingMs ?? null,
    blobs: createFileBlobs(directory, { store, clock: systemClock, ids: systemIds }),
    outbound,
    mediaBase: baseUrl,
    compiler: options.compiler ?? createCompiler(createThreads()),
    writer: null,
    compiles: options.compiles ?? true,
    wpm: 150,
    warn: (words, error) => void warned.push(`${words} ${String(error)}`),
    limits: options.limits ?? patientLimits,
    ...(options.office !== undefined && {
      office: typeof options.office === 'string' ? officeOf(options.office, systemClock) : options.office,
    }),
  })
  const surface = await openHttp({
    options: {
      operations: [putDeck, updateDeck, getDeck, updateSlide, deleteSlide, getKnowledge, putKnowledge, getScript, updateBeat].map((each) =>
        each.bind(decks.deps),
      ),
      media: decks.media,
      clock: systemClock,
      async authenticate({ authorization }) {
        const account = /^Bearer (.+)$/.exec(authorization[0] ?? '')?.[1]
        return account === undefined ? { kind: 'nobody' } : principalOf(account)
      },
    },
  })
  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isJson = body !== undefined && !(body instanceof Uint8Array) && !(body instanceof FormData)
    return surface.request(path, {
      method,
      headers: { Authorization: 'Bearer acct-1', ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        body: isJson ? JSON.stringify(body) : body instanceof FormData ? body : new Uint8Array(body),
      }),
    })
  }
  const newSession = async (account_id = 'acct-1') => {
    const id = systemIds.uuid()
    await store.write(
      async (tx) =>
        void (await tx
          .insertInto('sessions')
          .values(sessionRow({ id, account_id, slug: `talk-${id}` }))
          .execute()),
    )
    return `/api/v1/agent/sessions/${id}`
  }
  const jobs = createJobs({
    store,
    clock: systemClock,
    ids: systemIds,
    kinds: decks.jobs,
    isAlone: true,
    onFailure: (kind, error) => void warned.push(`${kind} ${String(error)}`),
  })
  if (options.compiles !== false) {
    await jobs.start()
    await decks.start()
  }
  return {
    decks,
    jobs,
    store,
    directory,
    warned,
    request,
    newSession,
    async close() {
      await jobs.close()
      await decks.close()
      await own.close()
      await dns.close()
      await surface.store.close()
      if (options.before !== undefined) return
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The id in the path of a session's resource. */
export function sessionOf(path: string): string {
  return path.split('/').at(-1) ?? ''
}

/** The body of an answer of that status. */
export async function json<T>(response: Response, status = 200): Promise<T> {
  assert.equal(response.status, status, await response.clone().text())
  // The body is the view of the operation under test, whose schema says what it holds.
  return (await response.json()) as T
}
