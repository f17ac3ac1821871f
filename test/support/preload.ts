// Loaded before the test files of a process (`--import`): chance starts from the seed of the run, no report is lost at the end, and the
// runner does not follow every promise.
import { createHook } from 'node:async_hooks'
import fc from 'fast-check'
import { testSeed } from './seed.ts'

fc.configureGlobal({ seed: testSeed })

// The runner has this process exit as soon as the last test is done, and what its reader has not taken from the pipe by then would be gone.
const stdout: unknown = Reflect.get(process.stdout, '_handle')
if (typeof stdout === 'object' && stdout !== null && 'setBlocking' in stdout && typeof stdout.setBlocking === 'function')
  stdout.setBlocking(true)

// It would, to know which test a promise belongs to: an eighth to a quarter of all CPU of tests that wait much. So an error that nobody
// caught is told of its file (scripts/shard.ts), and which test it was, the file says when it runs without this.
const hooks = Object.getPrototypeOf(createHook({}))
const { enable, disable } = hooks
let follower: unknown
hooks.enable = new Proxy(enable, { apply: (_, hook: unknown) => (follower = hook) })

/** Declares tests where groups are to be groups: what is declared in one belongs to it, its hooks too. Without this all is one level. */
export function grouped(declare: () => void): void {
  Reflect.apply(enable, follower, [])
  try {
    declare()
  } finally {
    Reflect.apply(disable, follower, [])
  }
}
