import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/clock.ts'
import { createDisk, reserveOf } from './disk.ts'
import { isServiceError } from '@rostrum/base/errors'

const gib = 1_073_741_824
const usual = [{ bytes: gib }, { share: 0.05 }]

test('of a size and a share the smaller counts', () => {
  assert.equal(reserveOf(usual, { freeBytes: 0, totalBytes: 10 * gib }), Math.floor(gib / 2))
  assert.equal(reserveOf(usual, { freeBytes: 0, totalBytes: 1_000 * gib }), gib)
})

test('what would leave less than the reserve is refused, and a line a minute tells that it is reached', async () => {
  const clock = manualClock()
  const told: string[] = []
  let freeBytes = gib + 100
  const look = () => ({ freeBytes, totalBytes: 100 * gib })
  const disk = createDisk({ directory: '/data', reserve: usual, clock, tell: (words) => told.push(words), look })
  const refused = (error: unknown) => isServiceError(error) && error.status === 503 && error.extra.headers?.['Retry-After'] === '60'
  disk.start()
  disk.hasRoomFor(100)
  assert.throws(() => disk.hasRoomFor(101), refused)
  await clock.advance(60_000)
  assert.deepEqual(told, [])
  freeBytes = gib - 1
  for (let times = 0; times < 100; times++) assert.throws(() => disk.hasRoomFor(1), refused)
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /\/data has 1,023 MiB free, less than its reserve of 1,024 MiB \(ROSTRUM_DISK_RESERVE\)/)
  await clock.advance(180_000)
  assert.equal(told.length, 4)
  disk.close()
})

test('without a reserve, and where there is no such directory, everything is taken', () => {
  const parts = { directory: '/no/such', clock: manualClock(), tell: () => assert.fail() }
  createDisk({ ...parts, reserve: usual }).hasRoomFor(gib)
  createDisk({ ...parts, directory: '/', reserve: null }).hasRoomFor(1e15)
})
