// `npm test`: the checks and every suite, on both stores and in a browser. The last line alone is the sum.
import { startPostgres } from '../test/support/postgres.ts'
import { browser, checks, contract, runAll, showSum, unit, web } from './suites.ts'

const named = process.env['ROSTRUM_TEST_POSTGRES']
const postgres = named === undefined ? await startPostgres() : null
const url = named ?? postgres?.url
try {
  // Two at once all the while: the longest comes before the two that together take as long.
  showSum(await runAll([...checks, unit, contract, web, browser], url === undefined ? {} : { ROSTRUM_TEST_POSTGRES: url }, 2))
} finally {
  await postgres?.stop()
}
