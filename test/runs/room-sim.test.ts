// Whole rooms in virtual time, at random (Spec 6.1: each fact once): whatever people do and whatever breaks, these guarantees hold.
// `ROSTRUM_TEST_SIMS=10000` is the long form, `ROSTRUM_TEST_SEED` where it begins; a failure names its seed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { testSeed } from '../support/seed.ts'

const sims = Number(process.env['ROSTRUM_TEST_SIMS'] ?? 60)
const script = fileURLToPath(new URL('../support/sim/random-rooms.ts', import.meta.url))

test('in a room at random, whatever breaks, nothing is lost, said twice or shown otherwise', { timeout: 7_200_000 }, async (t) => {
  const child = spawn(process.execPath, [script, String(testSeed), String(sims)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [told, failures, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(code, 0, failures)
  const sum = told.trim().split('\n').at(-1) ?? ''
  assert.match(sum, new RegExp(`^{"rooms":${sims},"failed":0,`))
  t.diagnostic(sum)
})
