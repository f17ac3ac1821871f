// `rostrum migrate`: brings the store to this version, which otherwise `serve` alone does.
import { openStore } from '../storage/open-store.ts'
import type { Run } from './command.ts'

export const run: Run = async ({ config: read, print }) => {
  const config = read()
  const store = await openStore({ ...config, migrates: true, outbox: { baseUrl: config.baseUrl, consumers: ['webhooks'] } })
  const { dialect } = store
  await store.close()
  print.result(`The ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} store is at this version.`, { store: dialect, migrated: true })
  return 0
}
