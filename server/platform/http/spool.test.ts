import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { eventually, manualClock, type ManualClock, passUntil } from '../../../test/support/clock.ts'
import { seededIds } from '../../../test/support/ids.ts'
import { createSpool, type Spool } from './spool.ts'

let directory: string
let clock: ManualClock
let spool: Spool
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rostrum-spool-test-'))
  clock = manualClock()
  spool = createSpool({ directory, clock, ids: seededIds(), onFailure: (error) => assert.fail(String(error)) })
})
afterEach(() => {
  spool.close()
  assert.equal(clock.nextDue(), undefined, 'no body is waited for any more')
  rmSync(directory, { recursive: true, force: true })
})

const mebibyte = 1_048_576
const files = () => readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

/** A body that comes when the test says so. */
function sent() {
  const waiting: PromiseWithResolvers<IteratorResult<Uint8Array>>[] = []
  let asked = 0
  const at = (index: number) => {
    const one = (waiting[index] ??= Promise.withResolvers())
    // It may fail before it is asked for.
    one.promise.catch(() => undefined)
    return one
  }
  let given = 0
  return {
    chunks: { next: () => at(asked++).promise },
    give: (bytes: number) => at(given++).resolve({ done: false, value: new Uint8Array(bytes) }),
    end: () => at(given++).resolve({ done: true, value: undefined }),
    fail: (error: Error) => at(given++).reject(error),
  }
}

const arriving = (body: ReturnType<typeof sent>, more: { owner?: string; announced?: number; maxBytes?: number } = {}) =>
  spool.receive({ chunks: body.chunks, owner: 'account', maxBytes: 60 * mebibyte, announced: undefined, ...more })

const whole = async (bytes: number, owner?: string) => {
  const body = sent()
  body.give(bytes)
  body.end()
  return arriving(body, { announced: bytes, ...(owner !== undefined && { owner }) })
}

test('a small body stays in memory, every other is a file of this user until its call has ended', async () => {
  const small = sent()
  small.give(60_000)
  small.end()
  assert.equal((await (await arriving(small)).file.bytes()).length, 60_000)
  assert.deepEqual(files(), [])
  const body = sent()
  body.give(60_000)
  body.give(60_000)
  body.end()
  const received = await arriving(body)
  assert.equal(received.file.sizeBytes, 120_000)
  assert.equal((await received.file.bytes()).length, 120_000)
  assert.equal(files().length, 1)
  received.release()
  assert.deepEqual(files(), [])
})

test('a body that comes too slowly is cut in words, and nothing of it stays; a slow one that comes is not', async () => {
  const body = sent()
  const refused = assert.rejects(arriving(body, { announced: 50 * mebibyte }), { code: 'request_timeout', message: /64 KiB in 15 seconds/ })
  const written = (bytes: number) =>
    eventually(async () => files().some(({ parentPath, name }) => statSync(join(parentPath, name)).size === bytes))
  for (let stretch = 1; stretch <= 3; stretch++) {
    body.give(64 * 1024)
    await written(stretch * 64 * 1024)
    await clock.advance(15_000)
  }
  body.give(1_000)
  await written(3 * 64 * 1024 + 1_000)
  await passUntil(clock, refused)
  assert.deepEqual(files(), [])
})

test('a body that is too large, breaks off or lies about its size leaves nothing', async () => {
  await assert.rejects(arriving(sent(), { announced: 61 * mebibyte }), { code: 'payload_too_large' })
  const large = sent()
  for (let part = 0; part < 3; part++) large.give(mebibyte)
  await assert.rejects(arriving(large, { maxBytes: 2 * mebibyte }), { code: 'payload_too_large' })
  const broken = sent()
  broken.give(mebibyte)
  broken.fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  await assert.rejects(arriving(broken, { announced: 2 * mebibyte }), { code: 'invalid_request', message: /ended early/ })
  assert.deepEqual(files(), [])
})

test('one account sends sixteen bodies at once, then is told to wait; another is not', async () => {
  const bodies = Array.from({ length: 16 }, () => sent())
  const under = bodies.map((body) => arriving(body, { announced: mebibyte }))
  await assert.rejects(whole(mebibyte), { code: 'rate_limited', message: /16 large bodies at once.*Try again in 5 s/ })
  ;(await whole(mebibyte, 'another')).release()
  for (const body of bodies) body.end()
  for (const received of await Promise.all(under)) received.release()
  ;(await whole(mebibyte)).release()
})

test('what calls hold in memory is bounded by account and by process, and given back with the call', async () => {
  const [one, two] = [await whole(50 * mebibyte), await whole(50 * mebibyte)]
  await one.file.bytes()
  await assert.rejects(two.file.bytes(), { code: 'rate_limited', extra: { headers: { 'Retry-After': '5' } } })
  const other = await whole(50 * mebibyte, 'second')
  await other.file.bytes()
  const third = await whole(50 * mebibyte, 'third')
  await assert.rejects(third.file.bytes(), { code: 'temporarily_unavailable', extra: { headers: { 'Retry-After': '5' } } })
  one.release()
  await two.file.bytes()
  for (const each of [two, other, third]) each.release()
})

test('what a killed process has left is swept at the start; what another one is receiving is not', async () => {
  const script = `
    import { createSpool } from ${JSON.stringify(import.meta.resolve('./spool.ts'))}
    import { systemClock, systemIds } from ${JSON.stringify(import.meta.resolve('../../../packages/base/clock.ts'))}
    const spool = createSpool({ directory: process.argv[1], clock: systemClock, ids: systemIds, onFailure() {} })
    async function* body() { yield new Uint8Array(300_000); console.log('half'); await new Promise(() => {}) }
    await spool.receive({ chunks: body()[Symbol.asyncIterator](), owner: 'a', maxBytes: 1e6, announced: 600_000 })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  assert.equal(files().length, 1)
  await spool.sweep()
  assert.equal(files().length, 1, 'its process runs')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const own = await whole(100_000)
  await spool.sweep()
  const [file, ...more] = files()
  assert.deepEqual(more, [])
  assert.equal(readFileSync(join(file?.parentPath ?? '', file?.name ?? '')).length, 100_000)
  own.release()
})
