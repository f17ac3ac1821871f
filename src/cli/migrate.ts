// `rostrum migrate`: opening the store brings it to this version, so that is all there is to do.
import type { Run } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, print }) => {
  const dialect = await withTools(config(), async ({ store }) => store.dialect)
  print.result(`The ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} store is at this version.`, { store: dialect, migrated: true })
  return 0
}
