// Webhooks over a real store, a manual clock, a loopback receiver and the HTTP surface: everything but the network and time.
import assert from 'node:assert/strict'
import type { NewDomainEvent } from '@rostrum/contract/events'
import type { Clock } from '@rostrum/base/clock'
import { createCursors } from '../../server/platform/db/cursor.ts'
import type { Operation } from '../../server/platform/operation.ts'
import { type Principal, type Scope, scopes } from '../../server/platform/principal.ts'
import { createOutbound, type Outbound } from '../../server/platform/egress/outbound.ts'
import { append } from '../../server/platform/db/domain-events.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { DeliveryRow } from '../../server/platform/db/tables.ts'
import { createWebhooks, type Webhooks, type WebhooksParts } from '../../server/webhooks/create-webhooks.ts'
import { webhookOperations } from '../../server/webhooks/operations.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'
import { openHttp } from '../support/http.ts'
import { seededIds } from '../support/ids.ts'
import { loopbackConfig } from '../support/outbound.ts'
import { sessionRow } from '../support/rows.ts'
import type { OpenStore } from '../support/stores.ts'
import { mortal } from './mortal.ts'
import { type Sink, startSink, status } from './sink.ts'

export const settings: WebhooksParts['settings'] = {
  webhookRetryMs: [120_000, 1_800_000],
  webhookTimeoutMs: 20_000,
  webhookConcurrency: 64,
  webhookEndpointConcurrency: 4,
  webhookDisableAfterMs: 259_200_000,
  webhookRetentionDays: 30,
}

export interface Answer {
  status: number
  body: Record<string, unknown>
  headers: Headers
}

export interface Rig {
  store: Store
  clock: ManualClock
  webhooks: Webhooks
  outbound: Outbound
  sink: Sink
  audit: { action: string; data: object }[]
  faults: unknown[]
  /** Scopes by credential; a credential left out is revoked. */
  credentials: Map<string, readonly Scope[]>
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  subscribe(body?: Record<string, unknown>, token?: string): Promise<Record<string, unknown> & { id: string; secret: string }>
  /** Appends an event of the sample session; `n` makes it another. */
  event(n: number, change?: Partial<NewDomainEvent>): Promise<string>
  delivery(change?: (row: DeliveryRow) => boolean): Promise<DeliveryRow>
  deliveries(): Promise<DeliveryRow[]>
  /** Waits until every event has become deliveries, and everything due was sent and written. */
  quiet(): Promise<void>
  /** Advances, then waits until everything due was sent and written. */
  advance(ms: number): Promise<void>
  /** One more process beside this one, on a store of its own over the same data; it is closed with the rig. */
  join(store: Store): Promise<void>
  /** A new process on the same data, after a clean end of the old one. */
  restart(): Promise<void>
  /** The same after kill -9. `wake` lets the dead one go on where it stopped, as a paused machine would. */
  crash(): Promise<{ wake: () => void }>
  close(): Promise<void>
}

export const session = sessionRow()
export const otherSession = sessionRow({ id: '5e551000-0000-4000-8000-000000000002', slug: 'loud-fans-abcdef', title: 'Loud fans' })
const foreignSession = sessionRow({ id: '5e551000-0000-4000-8000-000000000009', slug: 'theirs-abcdef', account_id: 'acct-2' })

const key = (credentialId: string, held: readonly Scope[], accountId = 'acct-1'): Principal => ({
  kind: 'api_key',
  accountId,
  credentialId,
  scopes: held,
  label: credentialId,
})
const principals: Readonly<Record<string, Principal>> = {
  all: key('cred-all', scopes),
  second: key('cred-second', scopes),
  plain: key('cred-plain', ['sessions:read', 'sessions:write']),
  read: key('cred-read', ['sessions:read']),
  other: key('cred-other', scopes, 'acct-2'),
  person: { kind: 'user', accountId: 'acct-1', userId: 'user-1', signInId: 's', role: 'owner', scopes, label: 'Ada' },
}

export interface RigOptions {
  store: Store
  settings?: Partial<WebhooksParts['settings']>
  outbound?: (clock: ManualClock) => Outbound
  start?: boolean
}

export async function openRig(options: RigOptions): Promise<Rig> {
  const { store } = options
  const clock = manualClock()
  const ids = seededIds()
  const sink = await startSink(clock)
  const audit: Rig['audit'] = []
  const faults: unknown[] = []
  const credentials = new Map<string, readonly Scope[]>()
  for (const principal of Object.values(principals))
    if ('credentialId' in principal) credentials.set(principal.credentialId, principal.scopes)
  const outbound =
    options.outbound?.(clock) ??
    createOutbound(loopbackConfig('127.0.0.1:9', { baseUrl: 'https://talks.example.com' }), { clock, userAgent: 'test', hosts: '' })
  let life = mortal(store, clock)
  const others: Webhooks[] = []
  const make = (held: { store: Store; clock: Clock } = life) =>
    createWebhooks({
      store: held.store,
      clock: held.clock,
      ids,
      cursors: createCursors('secret'),
      outbound,
      settings: { ...settings, ...options.settings },
      secrets: ['a secret of the operator'],
      baseUrl: 'https://talks.example.com',
      version: '1.2.3',
      isAlone: store.dialect === 'sqlite',
      credentialScopes: async (id) => credentials.get(id) ?? null,
      audit: async (_tx, _call, action, _id, data) => void audit.push({ action, data }),
      warn: (words, error) => void faults.push(error ?? words),
    })
  let webhooks = make()
  const bound = (): Operation[] => webhookOperations.map((declared) => declared.bind(webhooks.deps))
  const http = await openHttp({
    options: {
      operations: bound(),
      clock,
      authenticate: async ({ authorization }) => principals[authorization[0]?.slice('Bearer '.length) ?? ''] ?? { kind: 'nobody' },
    },
  })
  await store.write(async (tx) => {
    const accounts = ['acct-1', 'acct-2'].map((id) => ({
      id,
      name: id,
      kind: 'person' as const,
      is_owner: null,
      plan: null,
      merged_into: null,
      closed_at: null,
      created_at: 0,
    }))
    await tx.insertInto('accounts').values(accounts).execute()
    await tx.insertInto('sessions').values([session, otherSession, foreignSession]).execute()
  })
  if (options.start !== false) await webhooks.start()

  const rig: Rig = {
    store,
    clock,
    get webhooks() {
      return webhooks
    },
    outbound,
    sink,
    audit,
    faults,
    credentials,
    async call(method, path, body, token = 'all') {
      const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
      const response = await http.request(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      const text = await response.text()
      return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, headers: response.headers }
    },
    async subscribe(body = {}, token = 'all') {
      const made = await rig.call('POST', '/api/v1/webhooks', { url: `${sink.url}/hook`, event_types: ['attendee.joined'], ...body }, token)
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return made.body as Record<string, unknown> & { id: string; secret: string }
    },
    async event(n, change = {}) {
      const row = await store.write((tx) =>
        append(tx, {
          type: 'attendee.joined',
          accountId: session.account_id,
          sessionId: session.id,
          at: clock.now(),
          dedupeKey: `joined:${n}:1`,
          data: {
            runId: null,
            attendee: { id: `a-${n}`, name: 'Ada', kind: 'human', joinedAt: '2026-11-20T12:00:00.000Z' },
            attendeesOnline: 1,
          },
          ...change,
        }),
      )
      if (row === null) throw new Error('The event was not appended.')
      return row.id
    },
    async delivery(which = () => true) {
      const found = (await rig.deliveries()).filter(which)
      const [one] = found
      if (one === undefined || found.length > 1) throw new Error(`${found.length} deliveries instead of one.`)
      return one
    },
    deliveries: () => store.read.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute(),
    async quiet() {
      // On PostgreSQL the bell comes by another connection, after the commit.
      for (;;) {
        const left = await store.read.selectFrom('outbox').select('event_id').limit(1).execute()
        if (left.length === 0) break
        await new Promise((resolve) => void setImmediate(resolve))
      }
      await webhooks.idle()
    },
    async advance(ms) {
      await webhooks.idle()
      await clock.advance(ms)
      await webhooks.idle()
      // A database answers in its own time: what was asked before the last step may have armed a timer that is due by now.
      while ((clock.nextDue() ?? Number.POSITIVE_INFINITY) <= clock.now()) {
        await clock.advance(0)
        await webhooks.idle()
      }
    },
    async join(other) {
      const joined = make({ store: other, clock })
      others.push(joined)
      await joined.start()
    },
    async restart() {
      await webhooks.close()
      webhooks = make()
      await webhooks.start()
    },
    async crash() {
      const { wake } = life.die()
      life = mortal(store, clock)
      webhooks = make()
      await webhooks.start()
      return { wake }
    },
    async close() {
      sink.answer(status(204))
      await outbound.close()
      await webhooks.close()
      await Promise.all(others.map((other) => other.close()))
      await sink.close()
      await http.store.close()
    },
  }
  return rig
}

/** Contact details, as a lead is captured. */
export const leadEvent = (leadId: string): Partial<NewDomainEvent> => ({
  type: 'lead.captured',
  dedupeKey: `lead:${leadId}`,
  data: {
    lead: {
      id: leadId,
      name: 'Ada Lovelace',
      email: 'ada@canary.example',
      company: null,
      ctaClicked: false,
      created_at: '2026-11-20T12:00:00.000Z',
      phone: null,
      notes: null,
      repeatOf: null,
    },
    trigger: 'contact_info',
    source: 'form',
    consent: null,
    attendee: null,
    runId: null,
  },
})

/** Runs a test over a rig of its own, and holds it to have met no fault of ours. */
export function rigOn(open: OpenStore, options: Omit<RigOptions, 'store'> = {}): (fn: (rig: Rig) => Promise<void>) => Promise<void> {
  return async (fn) => {
    const { store } = await open()
    const rig = await openRig({ store, ...options })
    try {
      await fn(rig)
      assert.deepEqual(rig.faults, [])
    } finally {
      await rig.close()
    }
  }
}

/** Asserts a problem document: its status, its code and the member it points to. */
export function refused(answer: Answer, code: number, name: string, pointer?: string): void {
  assert.equal(answer.status, code, JSON.stringify(answer.body))
  assert.equal(answer.body['code'], name)
  if (pointer !== undefined) assert.equal((answer.body['errors'] as { pointer: string }[])[0]?.pointer, pointer)
}
