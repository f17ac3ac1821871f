// The composition root: opens the store, builds every area with its ports, and joins them to the surfaces.
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { challengeFor } from './auth/challenge.ts'
import { createAuth } from './auth/compose.ts'
import { createSetupLink, ensureOwner } from './auth/setup.ts'
import type { Config } from './config.ts'
import { createHttp } from './http/server.ts'
import { systemClock } from './kernel/clock.ts'
import { systemIds } from './kernel/ids.ts'
import { signingSecrets } from './secret.ts'
import { idempotencyRows } from './storage/idempotency.ts'
import { openStore } from './storage/open-store.ts'

export interface StartOptions {
  log: Logger
  /** Publish the welcome talk when the store is empty. */
  demo: boolean
  /** A deck to ingest and publish. */
  deckPath?: string
}

/** The service without its surfaces, for one-shot commands: it takes no lock and runs no background work but what it is asked. */
export interface OpenApp {
  /** For the owner's account, through the public operations; waits until the deck is ready. */
  createSession(wanted: WantedSession): Promise<CreatedSession>
  close(): Promise<void>
}

export interface WantedSession {
  title: string
  publish: boolean
  deck?: { name: string; type: string; bytes: Uint8Array }
}

export interface CreatedSession {
  sessionId: string
  slug: string
  shareLink: string
  status: string
  rehearsalUrl?: string
}

export interface RunningApp {
  port: number
  /** Rooms to name at the start: the welcome talk, or the deck that was given. */
  rooms: readonly { title: string; url: string }[]
  /** The one-time link, while nobody exists. */
  setupUrl: string | undefined
  close(): Promise<void>
}

/** Starts the service; resolves when it listens. */
export async function startApp(config: Config, { log }: StartOptions): Promise<RunningApp> {
  const clock = systemClock
  const ids = systemIds
  const secrets = signingSecrets(config, ids)
  const { baseUrl } = config
  const store = await openStore({ ...config, lock: true, outbox: { baseUrl, consumers: ['webhooks', 'analytics'] } })
  const auth = createAuth({
    store,
    clock,
    ids,
    settings: { ...config, secrets },
    rates: config.rates,
    findAttendee: async () => undefined,
    onFailure: (error) => log.warn({ err: error }, 'Background work of auth failed'),
  })
  const http = createHttp({
    config,
    operations: [],
    routes: [],
    authenticate: (presented) => auth.authenticator.authenticate(presented),
    challenge: (error) => challengeFor(error, baseUrl),
    limiter: auth.deps.limiter,
    idempotency: idempotencyRows(store),
    media: async () => undefined,
    webRoot: fileURLToPath(new URL('../web/dist/client', import.meta.url)),
    errorPage: ({ title }) => title,
    ready: async () => {
      await store.read.selectFrom('sessions').select('id').limit(1).execute()
      return true
    },
    log,
    clock,
    ids,
  })
  const { ownerEmail: email, ownerPassword: password } = config
  if (email !== null && password !== null) await ensureOwner(auth.deps, { email, password }, clock.now())
  const setupUrl = await createSetupLink(auth.deps, clock.now())
  const port = await http.listen()
  return {
    port,
    rooms: [],
    setupUrl,
    async close() {
      await http.close()
      await auth.close()
      await store.close()
    },
  }
}

export async function openApp(_config: Config, _options: { log: Logger }): Promise<OpenApp> {
  throw new Error('Sessions cannot be created from here yet.')
}

/** Speaks the tool protocol until standard input ends; gives the exit code. */
export async function serveStdio(_config: Config, _options: { log: Logger; url: string | undefined }): Promise<number> {
  throw new Error('The tool protocol is not joined yet.')
}
