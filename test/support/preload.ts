// Loaded before each test file of a suite (`--import`): chance starts from the seed of the run, and no report is lost at the end.
import fc from 'fast-check'
import { testSeed } from './seed.ts'

fc.configureGlobal({ seed: testSeed })

// The runner has this process exit as soon as the last test is done, and what its reader has not taken from the pipe by then would be gone.
const stdout: unknown = Reflect.get(process.stdout, '_handle')
if (typeof stdout === 'object' && stdout !== null && 'setBlocking' in stdout && typeof stdout.setBlocking === 'function')
  stdout.setBlocking(true)
