// `npm test`: the checks and every suite, on both stores and in a browser. The last line alone is the sum.
import { startPostgres } from '../test/support/postgres.ts'
import { browser, checks, contract, runAll, showSum, unit, web } from './suites.ts'

const named = process.env['ROSTRUM_TEST_POSTGRES']
const server = named === undefined ? startPostgres() : Promise.resolve(null)
const quick = await runAll([...checks, unit, web], {}, 2)
const postgres = await server
const url = named ?? postgres?.url
try {
  // A talk in a browser mostly waits for what is being said.
  const long = await runAll([contract, browser], url === undefined ? {} : { ROSTRUM_TEST_POSTGRES: url }, 2)
  showSum({ passed: quick.passed + long.passed, failed: quick.failed + long.failed })
} finally {
  await postgres?.stop()
}
