// `npm test`: the checks and every suite, on both stores and in a browser. The last line alone is the sum.
import { startPostgres } from '../test/support/postgres.ts'
import { checks, contract, runAll, screens, showSum, unit } from './suites.ts'

const named = process.env['ROSTRUM_TEST_POSTGRES']
const postgres = named === undefined ? await startPostgres() : null
const url = named ?? postgres?.url
try {
  showSum(await runAll([...checks, unit, screens, contract], url === undefined ? {} : { ROSTRUM_TEST_POSTGRES: url }, 3))
} finally {
  await postgres?.stop()
}
