// Loaded before each test file of a suite (`--import`): chance starts from the seed of the run, no report is lost at the end, and the
// runner does not follow every promise.
import { createHook } from 'node:async_hooks'
import fc from 'fast-check'
import { testSeed } from './seed.ts'

fc.configureGlobal({ seed: testSeed })

// The runner has this process exit as soon as the last test is done, and what its reader has not taken from the pipe by then would be gone.
const stdout: unknown = Reflect.get(process.stdout, '_handle')
if (typeof stdout === 'object' && stdout !== null && 'setBlocking' in stdout && typeof stdout.setBlocking === 'function')
  stdout.setBlocking(true)

// It would, to know in which test an error was thrown that nobody caught: an eighth to a quarter of all CPU of tests that wait much. Such
// an error fails the file instead, and its words are told (scripts/report.ts); which test it was, the file says when it runs without this.
Object.assign(Object.getPrototypeOf(createHook({})), {
  enable() {
    return this
  },
})
