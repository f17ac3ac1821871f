// An engine for the tests of `kernel/engine.ts`: a real process with the real program side, whose work is a word that says what to do.
import { writeSync } from 'node:fs'
import { serveEngine } from '@rostrum/base/engine'

const held: Buffer[] = []

serveEngine(async (setup) => {
  if (setup === 'refuse') throw new Error('No such model.')
  if (setup === 'end') {
    writeSync(2, 'loading\n/src/engine.cc:Open:12 The file is no model.\n')
    process.exit(255)
  }
  return async (work, emit, signal) => {
    if (work === 'end') process.exit(3)
    if (work === 'fail') throw new Error('It cannot be said.')
    if (work === 'hold') for (let size = 0; size < 400; size++) held.push(Buffer.alloc(1_048_576, size + 1))
    if (work === 'wait' || work === 'hold') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    emit(`part of ${String(work)}`)
    return [work, process.pid, Object.keys(process.env).length]
  }
})
