// The composition root: opens the store, builds the service, joins it to its surfaces, and starts what runs in the background.
import type { Logger } from 'pino'
import { ensureOwnerAccount } from './accounts/people.ts'
import { createSetupLink, ensureOwner } from './accounts/sign-in.ts'
import { packageVersion, secretSource, signingSecrets } from './installation.ts'
import type { Config } from './config/config.ts'
import { tellSeldom, type Why, type OnAway } from './platform/away.ts'
import { systemClock as clock, systemIds as ids } from '@rostrum/base/clock'
import { ownerSessions, type OwnerSessions, type OwnerSessionsParts, presentFile, publishWelcome } from './owner-sessions.ts'
import { createAreas } from './areas.ts'
import { checkSecret } from './sealed.ts'
import { openStore, openToOthers, type StoreSettings, writeAddress } from './platform/db/sqlite.ts'

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

/** The service with its store, before it has surfaces or background work. */
export interface OpenParts extends OwnerSessionsParts {
  sessions: OwnerSessions
}

/** For the log of the operator. */
const storeWords: Readonly<Record<Why, string>> = {
  unreachable: 'The store does not answer: calls are answered with 503 until it does.',
  busy: 'The store is busy: calls are answered with 503.',
  full: 'The disk of the store is full: nothing can be written until there is room.',
  unwritable: 'The store cannot be written: look at its disk and its permissions.',
}

/** Without more: beside a server, as a one-shot command does. */
export async function openParts(
  config: Config,
  log: Logger,
  { lock = false, migrates = false }: Pick<StoreSettings, 'lock' | 'migrates'> = {},
): Promise<OpenParts> {
  const secrets = signingSecrets(config, ids)
  const tell = tellSeldom(clock, (words, cause) => log.error({ reason: String(cause) }, words))
  let isOpen = false
  // Before that it stops the start, with words.
  const onAway: OnAway = (why, cause) => isOpen && tell(storeWords[why], cause)
  const store = await openStore({ ...config, lock, migrates, onAway, outbox: { baseUrl: config.baseUrl, consumers: ['webhooks'] } })
  isOpen = true
  await checkSecret(store, { secrets, source: secretSource(config), ids }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const isAlone = lock && store.dialect === 'sqlite'
  const areas = createAreas(config, { store, clock, ids, log, secrets, isAlone, version: packageVersion() })
  const accountId = await ensureOwnerAccount(store, ids, config.title, clock.now())
  const parts = { store, areas, clock, ids, accountId }
  return { ...parts, sessions: ownerSessions(parts) }
}

/** Starts the service; resolves when it listens. */
export async function startApp(config: Config, { log, demo, deckPath }: StartOptions): Promise<RunningApp> {
  const { store, areas, sessions } = await openParts(config, log, { lock: true, migrates: true })
  const open = store.dialect === 'sqlite' ? openToOthers(config.dataDir) : undefined
  if (open !== undefined) log.warn(open)
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

/** The service without its surfaces, for a one-shot command: it takes no lock and may run beside a server. */
export async function withParts<T>(config: Config, log: Logger, work: (parts: OpenParts) => Promise<T>): Promise<T> {
  const parts = await openParts(config, log)
  try {
    return await work(parts)
  } finally {
    // It may have taken up a run that nobody presented, to end it.
    await parts.areas.drain()
    await parts.areas.close()
    await parts.store.close()
  }
}
