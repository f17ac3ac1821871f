// Real stores for tests: every storage suite runs on SQLite and on PostgreSQL, each test on data of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { OutboxSettings, Store } from '../../src/storage/store.ts'

export const testOutbox: OutboxSettings = { baseUrl: 'https://rostrum.test', consumers: ['webhooks'] }

/** A store for tests that are not about storage: SQLite, private, gone on close. */
export async function openTestStore(outbox: OutboxSettings = testOutbox): Promise<Store> {
  return openSqlite(':memory:', { outbox })
}

export interface OpenedStore {
  store: Store
  /** Another store on the same data, as a second process would open it. */
  another: () => Promise<Store>
}

/** Opens an empty, migrated store; it is closed and removed after the test. */
export type OpenStore = () => Promise<OpenedStore>

interface Backend {
  open(): Promise<{ first: Store; another: () => Promise<Store>; remove: () => Promise<void> }>
  stop(): Promise<void>
}

const sqlite: Backend = {
  async open() {
    const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
    const another = () => openSqlite(directory, { outbox: testOutbox })
    return { first: await another(), another, remove: async () => rmSync(directory, { recursive: true, force: true }) }
  },
  stop: async () => undefined,
}

/** Declares `suite` once for each kind of store. */
export function eachStore(suite: (name: Store['dialect'], open: OpenStore) => void): void {
  for (const [name, backend] of [['sqlite', sqlite]] as const) {
    describe(name, () => {
      let undo: (() => Promise<void>)[] = []
      afterEach(async () => {
        for (const step of undo.toReversed()) await step()
        undo = []
      })
      after(() => backend.stop())
      suite(name, async () => {
        const { first, another, remove } = await backend.open()
        undo.push(remove, () => first.close())
        return {
          store: first,
          async another() {
            const store = await another()
            undo.push(() => store.close())
            return store
          },
        }
      })
    })
  }
}

/** Every read answer, write and commit of `store` comes `ms` later: races that need a slow store become visible. */
export function delayedStore(store: Store, ms: number): Store {
  const later = () => new Promise<void>((resolve) => void setTimeout(resolve, ms))
  return {
    ...store,
    read: store.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await later()
        return result
      },
    }),
    async write(fn) {
      await later()
      const result = await store.write(fn)
      await later()
      return result
    },
  }
}
