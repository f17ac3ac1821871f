// The composition root: opens the store, builds the service, joins it to its surfaces, and starts what runs in the background.
import type { Logger } from 'pino'
import { ensureOwnerAccount } from './accounts/people.ts'
import { createSetupLink, ensureOwner } from './accounts/setup.ts'
import { packageVersion, signingSecrets } from './installation.ts'
import type { Config } from './config/config.ts'
import { systemClock } from './platform/clock.ts'
import { systemIds } from './platform/ids.ts'
import {
  actAsOperator,
  type CreatedSession,
  ownerSessions,
  type OperatorAct,
  type OwnerSessions,
  presentFile,
  publishWelcome,
  type WantedSession,
} from './owner-sessions.ts'
import { createAreas, type Areas } from './areas.ts'
import { openStore, type StoreSettings, writeAddress } from './platform/db/sqlite.ts'
import type { Store } from './platform/db/store.ts'

export type { CreatedSession, WantedSession } from './owner-sessions.ts'

export interface StartOptions {
  log: Logger
  /** Publish the welcome talk when the store is empty. */
  demo: boolean
  /** A deck to ingest and publish. */
  deckPath?: string
}

export interface RunningApp {
  port: number
  /** Rooms to name at the start: the welcome talk, or the deck that was given. */
  rooms: readonly { title: string; url: string }[]
  /** The one-time link, while nobody exists. */
  setupUrl: string | undefined
  close(): Promise<void>
}

/** The service without its surfaces, for one-shot commands: it takes no lock and may run beside a server. */
export interface OpenApp {
  /** For the owner's account, through the public operations; waits until the deck is ready. */
  createSession(wanted: WantedSession): Promise<CreatedSession>
  /** As the operator, by the public operations; says where the session is not the owner account's, or not there. */
  actOnSession(id: string, act: OperatorAct, options: { anyAccount: boolean }): Promise<'done' | 'foreign' | 'unknown'>
  close(): Promise<void>
}

const clock = systemClock
const ids = systemIds

/** The service with its store, before it has surfaces or background work. */
export interface OpenParts {
  store: Store
  areas: Areas
  sessions: OwnerSessions
  /** The owner's. */
  accountId: string
}

/** Without more: beside a server, as a one-shot command does. */
export async function openParts(
  config: Config,
  log: Logger,
  { lock = false, migrates = false }: Pick<StoreSettings, 'lock' | 'migrates'> = {},
): Promise<OpenParts> {
  const secrets = signingSecrets(config, ids)
  const store = await openStore({ ...config, lock, migrates, outbox: { baseUrl: config.baseUrl, consumers: ['webhooks'] } })
  const isAlone = lock && store.dialect === 'sqlite'
  const areas = createAreas(config, { store, clock, ids, log, secrets, isAlone, version: packageVersion() })
  const accountId = await ensureOwnerAccount(store, ids, config.title, clock.now())
  return { store, areas, sessions: ownerSessions({ areas, store, clock, ids, accountId }), accountId }
}

/** Starts the service; resolves when it listens. */
export async function startApp(config: Config, { log, demo, deckPath }: StartOptions): Promise<RunningApp> {
  const { store, areas, sessions } = await openParts(config, log, { lock: true, migrates: true })
  let isStarted = false
  const { createSurfaces, loadWeb } = await import('./surfaces.ts')
  const http = createSurfaces(config, { areas, store, clock, ids, log, web: await loadWeb(), isStarted: () => isStarted })
  const { ownerEmail: email, ownerPassword: password, baseUrl } = config
  if (email !== null && password !== null) await ensureOwner(areas.auth.deps, { email, password }, clock.now())
  const setupUrl = await createSetupLink(areas.auth.deps, clock.now())
  const port = await http.listen()
  if (store.dialect === 'sqlite') writeAddress(config, port)
  await areas.start()
  const rooms = [
    ...(demo ? await publishWelcome(sessions, areas.decks.deps, baseUrl) : []),
    ...(deckPath === undefined ? [] : [await presentFile(sessions, deckPath)]),
  ]
  isStarted = true
  return {
    port,
    rooms,
    setupUrl,
    async close() {
      isStarted = false
      await areas.drain()
      await http.close()
      await areas.close()
      await store.close()
    },
  }
}

export async function openApp(config: Config, { log }: { log: Logger }): Promise<OpenApp> {
  const parts = await openParts(config, log)
  const { store, areas, sessions } = parts
  return {
    async createSession(wanted) {
      await areas.jobs.start()
      await areas.decks.start()
      return sessions.createReady(wanted)
    },
    actOnSession: (id, act, { anyAccount }) => actAsOperator({ ...parts, clock, ids }, id, act, anyAccount),
    async close() {
      // It may have taken up a run that nobody presented, to end it.
      await areas.drain()
      await areas.close()
      await store.close()
    },
  }
}
