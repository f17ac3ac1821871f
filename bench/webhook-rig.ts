// What the bench of webhooks stands on: the dispatcher over a real store, events to send, and a receiver in a process of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCursors } from '../server/platform/db/cursor.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { createOutbound } from '../server/platform/egress/outbound.ts'
import { append } from '../server/platform/db/domain-events.ts'
import { openSqlite } from '../server/platform/db/sqlite.ts'
import type { Store } from '../server/platform/db/store.ts'
import type { Webhooks } from '../server/webhooks/create-webhooks.ts'
import { createWebhooks } from '../server/webhooks/create-webhooks.ts'
import { createWebhook } from '../server/webhooks/subscriptions.ts'
import { outboundConfig } from '../test/support/outbound.ts'
import { sessionRow } from '../test/support/rows.ts'
import { compileC } from './compile-c.ts'

export const session = sessionRow()
export const baseUrl = 'https://bench.rostrum.org'
const signal = new AbortController().signal
const padding = 'x'.repeat(180)

export function open(store: Store, perEndpoint: number): { webhooks: Webhooks; close(): Promise<void> } {
  const config = outboundConfig({ baseUrl, egressAllow: ['127.0.0.0/8'] })
  const outbound = createOutbound(config, { clock: systemClock, userAgent: 'bench', hosts: '' })
  const webhooks = createWebhooks({
    store,
    clock: systemClock,
    ids: systemIds,
    cursors: createCursors('bench'),
    outbound,
    settings: {
      webhookRetryMs: [120_000, 1_800_000],
      webhookTimeoutMs: 20_000,
      webhookConcurrency: 64,
      webhookEndpointConcurrency: perEndpoint,
      webhookDisableAfterMs: 259_200_000,
      webhookRetentionDays: 30,
    },
    secrets: ['bench'],
    baseUrl,
    version: '0',
    isAlone: store.dialect === 'sqlite',
    credentialScopes: async () => [],
    audit: async () => undefined,
    warn: (words, error) => console.error(words, error),
  })
  return {
    webhooks,
    async close() {
      await webhooks.close()
      await outbound.close()
    },
  }
}

export async function subscribe(webhooks: Webhooks, port: number, count: number): Promise<void> {
  const principal = {
    kind: 'user',
    accountId: session.account_id,
    userId: 'u',
    signInId: 's',
    role: 'owner',
    scopes: [],
    label: 'bench',
  } as const
  const call = { principal, now: 1, requestId: 'r', address: '127.0.0.1', signal }
  for (let n = 0; n < count; n++)
    await createWebhook.bind(webhooks.deps).handle({ url: `http://localhost:${port}/`, event_types: ['attendee.joined'] }, call)
}

let made = 0

/** `count` events of about 600 bytes, committed, not yet taken from the outbox. */
export async function addEvents(store: Store, count: number): Promise<void> {
  const one = (n: number) =>
    store.write((tx) =>
      append(tx, {
        type: 'attendee.joined',
        accountId: session.account_id,
        sessionId: session.id,
        at: Date.now(),
        dedupeKey: `bench:${n}`,
        data: {
          runId: null,
          attendee: { id: `a-${n}`, name: padding, kind: 'human', joinedAt: '2026-11-20T12:00:00.000Z' },
          attendeesOnline: 1,
        },
      }),
    )
  for (let left = count; left > 0; left -= 64) await Promise.all(Array.from({ length: Math.min(64, left) }, () => one(made++)))
}

/** What takes in a burst, in a process of its own. */
export interface Receiver {
  port: number
  close(): void
}

/** One that remembers what came. */
export interface Sink extends Receiver {
  ask(path: string): Promise<{ ids: number; repeats: number; firsts: [string, number][] }>
}

async function receiving(program: string, args: readonly string[]): Promise<Receiver> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const line = await new Promise<Buffer>((resolve) => void child.stdout.once('data', resolve))
  return { port: Number(line.toString()), close: () => void child.kill() }
}

export async function startSink(): Promise<Sink> {
  const { port, close } = await receiving(process.execPath, [fileURLToPath(new URL('webhook-sink.ts', import.meta.url))])
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json() as ReturnType<Sink['ask']>
  return { port, ask, close }
}

/** One that takes next to nothing of the machine, as one that is elsewhere; null where there is no C compiler. */
export async function startReceiver(): Promise<Receiver | null> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-receiver-'))
  try {
    const program = compileC(join(import.meta.dirname, 'webhook-receiver.c'), folder)
    return program === null ? null : await receiving(program, [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function withStore<T>(fn: (store: Store) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-bench-'))
  const store = await openSqlite(directory, { outbox: { baseUrl, consumers: ['webhooks'] }, lock: true })
  try {
    await store.write((tx) => tx.insertInto('sessions').values(session).execute())
    return await fn(store)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
