// `npm test`: the checks and every suite, on both stores and in a browser. The last line alone is the sum.
import { startPostgres } from '../test/support/postgres.ts'
import { checks, runAll, showSum, unit, whole } from './suites.ts'

const named = process.env['ROSTRUM_TEST_POSTGRES']
const postgres = named === undefined ? await startPostgres() : null
const url = named ?? postgres?.url
try {
  showSum(await runAll([...checks, unit, whole], url === undefined ? {} : { ROSTRUM_TEST_POSTGRES: url }, 2))
} finally {
  await postgres?.stop()
}
