// One process of a suite: the test files named run in it one after another, each a group of its own, so that a file's hooks are its own.
// It says on standard output which file it is at, at once: whoever reads knows whom it was at when it ends before its time.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { after, before, describe } from 'node:test'
import { inspect } from 'node:util'
import { grouped } from '../test/support/preload.ts'
import { type Said, line } from './report.ts'

const files = process.argv.slice(2)
const require = createRequire(import.meta.url)
const say = (said: Said) => writeSync(process.stdout.fd, line(said))
let current = ''

// Nobody caught it, and it may come from a file before this one: that is told by the words.
const stray = (error: unknown) => say({ file: current, what: 'stray', words: inspect(error) })
process.on('uncaughtExceptionMonitor', (error, origin) => {
  if (origin === 'uncaughtException') stray(error)
})
process.on('unhandledRejection', stray)

/** What files share: one that leaves it changed would disturb those after it. */
const shared = (): Record<string, string | undefined> => ({ ...process.env, 'the working directory': process.cwd() })

before(() => undefined)
grouped(() => {
  for (const file of files)
    void describe(file, () => {
      let found: Record<string, string | undefined>
      before(async () => {
        // The report about the file before is written first.
        await new Promise((resolve) => void setImmediate(resolve))
        current = file
        say({ file, what: 'begins' })
        found = shared()
      })
      say({ file, what: 'loads' })
      current = file
      // At once, which `import` is not: what the file declares is declared in this group.
      require(file)
      after(() => {
        const left = shared()
        const changed = Object.keys({ ...found, ...left }).filter((name) => found[name] !== left[name])
        if (changed.length > 0)
          throw new Error(`${relative('', file)} left ${changed.join(', ')} changed, which the next file of the process would find.`)
      })
    })
})
