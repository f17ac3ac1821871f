// Blobs that nobody uses are removed, whatever happened to whoever put them; and none that somebody puts meanwhile.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createCanvas } from '@napi-rs/canvas'
import { SentFile } from '../../server/platform/sent-file.ts'
import { blobKey, findMedia, type Blobs } from '../../server/platform/blobs/blobs.ts'
import { endBlobs, loosen, releaseBlobs, sweepBlobs, useBlobs } from '../../server/platform/blobs/blob-uses.ts'
import { createBucketBlobs, createFileBlobs, createTableBlobs } from '../../server/platform/blobs/blob-stores.ts'
import { insertDeck } from '../../server/decks/deck-rows.ts'
import { LostLease } from '../../server/platform/db/jobs.ts'
import { readDeck } from '../../server/decks/ingest/read-deck.ts'
import { systemIds as ids } from '@rostrum/base/clock'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { claimedDeck } from '../support/claimed-deck.ts'
import { manualClock } from '../support/clock.ts'
import { patientLimits } from '../support/decks.ts'
import { untilHeldUp } from '../support/held-up.ts'
import { startBucket, type TestBucket } from '../support/s3-server.ts'
import { withService } from '../support/service.ts'
import { eachStore, testOutbox } from '../support/stores.ts'

const hourMs = 3_600_000
const allFiles = (directory: string) => readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

eachStore((name, open) => {
  interface Opened {
    store: Store
    blobs: Blobs
    /** Empty where blobs are in the database. */
    directory: string
    clock: ReturnType<typeof manualClock>
  }
  const guaranteeHere = (words: string, fn: (opened: Opened) => Promise<void>) =>
    test(words, async (t) => {
      const { store } = await open()
      const clock = manualClock()
      const directory = mkdtempSync(join(tmpdir(), 'rostrum-blobs-'))
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      const blobs = name === 'sqlite' ? createFileBlobs(directory, { store, clock, ids }) : createTableBlobs({ store, clock })
      await fn({ store, blobs, directory, clock })
    })
  const inBucket = (words: string, fn: (opened: Opened & { bucket: TestBucket; before: Blobs }) => Promise<void>) =>
    // An embedded store waits for nothing but itself, so a bucket is for clusters.
    name === 'postgres' &&
    guaranteeHere(`in a bucket: ${words}`, async ({ blobs: before, ...opened }) => {
      const bucket = await startBucket()
      try {
        const parts = { store: opened.store, clock: opened.clock, onFailure: () => undefined }
        await fn({ ...opened, bucket, before, blobs: createBucketBlobs(bucket.settings, before, parts) })
      } finally {
        bucket.close()
      }
    })
  const guarantee = (words: string, fn: (opened: Opened) => Promise<void>) => {
    guaranteeHere(words, fn)
    inBucket(words, fn)
  }
  const bytes = Buffer.from([0, 255, 1, 0])

  guarantee('blobs are kept once and found by their key alone', async ({ blobs }) => {
    const keys = await Promise.all([blobs.put(bytes, 'jpg'), blobs.put(bytes, 'jpg')])
    assert.equal(keys[0], keys[1])
    assert.deepEqual(Buffer.from((await blobs.find(keys[0])) ?? []), bytes)
    for (const bad of ['', '../x', `${keys[0]}/..`, keys[0].toUpperCase(), keys[0].replace('.jpg', '.svg')])
      assert.equal(await blobs.find(bad), undefined, bad)
  })

  guarantee('a large blob is read by offset, whatever lies between its parts', async ({ blobs }) => {
    // More than two parts of a row, and no two of its bytes alike at a step of either.
    const large = Buffer.from(Uint32Array.from({ length: 700_001 }, (_, at) => Math.imul(at, 2_654_435_761)).buffer)
    const key = await blobs.put(large, 'mp4')
    assert.ok(large.equals((await blobs.find(key)) ?? new Uint8Array()))
    for (const [start, length] of [
      [0, 1],
      [0, 262_144],
      [1_048_570, 12],
      [2_097_152, 100],
      [2_500_000, 5],
      [large.length - 3, 3],
    ] as const) {
      const into = Buffer.alloc(length)
      for (let at = 0, read = 1; at < length && read > 0; at += read) read = await blobs.read(key, start + at, into.subarray(at))
      assert.ok(into.equals(large.subarray(start, start + length)), `${length} from ${start}`)
    }
    assert.equal(await blobs.read(key, large.length - 3, Buffer.alloc(100)), 3)
    assert.equal(await blobs.read(key.replace('.mp4', '.png'), 0, Buffer.alloc(1)), 0)
    assert.equal(await blobs.read('../x', 0, Buffer.alloc(1)), 0)
  })

  guarantee('a large file is put in pieces, and is whole; what a killed process has left of one goes', async ({ store, blobs, clock }) => {
    const large = Buffer.alloc(20 * 1_048_576 + 1, 'pieces that differ')
    const key = await blobs.put(SentFile.of(large), 'webm')
    assert.equal(key, blobKey(large, 'webm'))
    assert.ok(Buffer.from((await blobs.find(key)) ?? []).equals(large))
    assert.equal(await blobs.put(large, 'webm'), key)
    await store.write((tx) => useBlobs(tx, 'deck-1', [key]))
    const half = blobKey(Buffer.from('half of it'), 'webm')
    await store.write(async (tx) => {
      await loosen(tx, [half], clock.now())
      await tx
        .insertInto('blob_pieces')
        .values({ blob_key: half, start_at: 1_048_576, bytes: Buffer.from('half') })
        .execute()
    })
    await sweepBlobs(store, blobs, clock.now() + hourMs)
    const left = store.read.selectFrom('blob_pieces').select('blob_key').where('blob_key', '=', half)
    if (name === 'postgres') assert.deepEqual(await left.execute(), [])
    assert.ok(Buffer.from((await blobs.find(key)) ?? []).equals(large))
  })

  inBucket('an upload in parts that fails leaves none of them', async ({ blobs, bucket }) => {
    bucket.refusesParts = true
    await assert.rejects(blobs.put(Buffer.alloc(9 * 1_048_576), 'webm'), { code: 'temporarily_unavailable' })
    assert.deepEqual([bucket.uploads.size, bucket.objects.size], [0, 0])
  })

  guarantee('a blob goes an hour after the last deck that used it, and not while another does', async ({ store, blobs, clock }) => {
    const [shared, own] = [await blobs.put(Buffer.from('shared'), 'jpg'), await blobs.put(Buffer.from('own'), 'jpg')]
    await store.write(async (tx) => {
      await useBlobs(tx, 'deck-1', [shared, own, own])
      await useBlobs(tx, 'deck-2', [shared])
    })
    const at = clock.now() + 1_000
    await store.write((tx) => releaseBlobs(tx, 'deck-1', at))
    assert.equal(await sweepBlobs(store, blobs, at + hourMs - 1), 0)
    assert.equal(await sweepBlobs(store, blobs, at + hourMs), 1)
    assert.equal(await blobs.find(own), undefined)
    assert.ok(await blobs.find(shared))
    // Loose, then used again by an equal upload before the hour is over.
    await store.write((tx) => releaseBlobs(tx, 'deck-2', at, [shared]))
    await store.write((tx) => useBlobs(tx, 'deck-3', [shared]))
    assert.equal(await sweepBlobs(store, blobs, at + 2 * hourMs), 0)
    assert.ok(await blobs.find(shared))
    await store.write((tx) => releaseBlobs(tx, 'deck-3', at + 2 * hourMs))
    assert.equal(await sweepBlobs(store, blobs, at + 3 * hourMs), 1)
  })

  guarantee('what an owner has deleted is shown no longer, but where others use it or it is put again', async ({ store, blobs, clock }) => {
    const look = async (key: string) => {
      const found = await findMedia(key, { store, blobs })
      if (typeof found !== 'object') return found
      const into = Buffer.alloc(100)
      return into.toString('latin1', 0, await found.read(0, into))
    }
    const [shared, own] = [await blobs.put(Buffer.from('shared'), 'mp4'), await blobs.put(Buffer.from('own'), 'mp4')]
    await store.write(async (tx) => {
      await useBlobs(tx, 'session-1', [shared, own])
      await useBlobs(tx, 'session-2', [shared])
    })
    await store.write((tx) => endBlobs(tx, 'session-1', clock.now(), [shared, own]))
    assert.deepEqual([await look(shared), await look(own)], ['shared', 'gone'])
    await store.write((tx) => endBlobs(tx, 'session-2', clock.now()))
    assert.equal(await look(shared), 'gone')
    await blobs.put(Buffer.from('own'), 'mp4')
    assert.equal(await look(own), 'own')
    await sweepBlobs(store, blobs, clock.now() + hourMs)
    assert.deepEqual([await blobs.find(shared), await look(shared), await look(own)], [undefined, 'gone', undefined])
    await sweepBlobs(store, blobs, clock.now() + 31 * 24 * hourMs)
    assert.equal(await look(shared), undefined)
  })

  guarantee('what was put for a row that never came goes an hour later: it stayed for ever', async ({ store, blobs, clock }) => {
    const keys = await Promise.all(Array.from({ length: 50 }, (_, at) => blobs.put(Buffer.from(`stray ${at}`), 'jpg')))
    assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs - 1), 0)
    assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs), 50)
    for (const key of keys) assert.equal(await blobs.find(key), undefined)
    assert.deepEqual(await store.read.selectFrom('loose_blobs').selectAll().execute(), [])
  })

  guarantee('a picture sent again while the clean-up removes it is there: it was missing', async ({ store, blobs, clock }) => {
    const key = await blobs.put(bytes, 'jpg')
    await clock.advance(hourMs)
    const puts: Promise<string>[] = []
    const meanwhile: Blobs['remove'] = async (...removed) => {
      const again = blobs.put(bytes, 'jpg')
      puts.push(again)
      if (name === 'postgres') await untilHeldUp(store, again)
      await blobs.remove(...removed)
    }
    assert.equal(await sweepBlobs(store, { ...blobs, remove: meanwhile }, clock.now()), 1)
    assert.deepEqual(await Promise.all(puts), [key])
    assert.deepEqual(Buffer.from((await blobs.find(key)) ?? []), bytes)
    assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs - 1), 0)
  })

  inBucket('bytes are kept under their key with their type, and read once for all who ask meanwhile', async ({ blobs, bucket }) => {
    const key = await blobs.put(bytes, 'jpg')
    await blobs.put(bytes, 'jpg')
    assert.deepEqual([...bucket.objects], [[key, { bytes: Buffer.from(bytes), type: 'image/jpeg' }]])
    assert.equal(bucket.asked.filter((each) => each.startsWith('PUT')).length, 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    bucket.held = promise
    const found = Promise.all(Array.from({ length: 50 }, () => blobs.find(key)))
    resolve()
    for (const each of await found) assert.deepEqual(Buffer.from(each ?? []), bytes)
    assert.equal(bucket.asked.filter((each) => each.startsWith('GET')).length, 1)
  })

  inBucket('what was kept before it was named is still found, and goes with the rest', async ({ store, blobs, before, clock }) => {
    const key = await before.put(bytes, 'jpg')
    assert.deepEqual(Buffer.from((await blobs.find(key)) ?? []), bytes)
    assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs), 1)
    assert.equal(await before.find(key), undefined)
  })

  inBucket(
    'while it does not answer callers are told to try again, and the clean-up has lost nothing',
    async ({ store, blobs, bucket, clock }) => {
      const key = await blobs.put(bytes, 'jpg')
      bucket.isDown = true
      const later = { code: 'temporarily_unavailable' }
      await assert.rejects(blobs.find(key), later)
      await assert.rejects(blobs.put(Buffer.from('other'), 'jpg'), later)
      await assert.rejects(sweepBlobs(store, blobs, clock.now() + hourMs), later)
      bucket.isDown = false
      assert.deepEqual(Buffer.from((await blobs.find(key)) ?? []), bytes)
      // What could not be put is looked for too: its row came first.
      assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs), 2)
      assert.equal(bucket.objects.size, 0)
    },
  )

  inBucket('a secret that is not its own is refused, and nothing is kept', async ({ store, blobs: _, bucket, before, clock }) => {
    const stranger = createBucketBlobs({ ...bucket.settings, secret: 'another' }, before, { store, clock, onFailure: () => undefined })
    await assert.rejects(stranger.put(bytes, 'jpg'), { code: 'temporarily_unavailable' })
    assert.equal(bucket.objects.size, 0)
  })

  test('the pictures of a page whose deck was replaced while it was read go: they stayed for ever', () =>
    withService(open, async (app) => {
      const { service, store, clock, accountId, api } = app
      const { deps } = service.decks
      const sessionId = String((await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body.sessionId)
      const claimed = await claimedDeck(app, sessionId, await createCanvas(800, 450).encode('png'))
      const keys: string[] = []
      const put: Blobs['put'] = async (...page) => {
        const newer = { session_id: sessionId, account_id: accountId, kind: 'slides', state: 'ready', created_at: clock.now() } as const
        await store.write((tx) => insertDeck(tx, ids, newer))
        const key = await deps.blobs.put(...page)
        keys.push(key)
        return key
      }
      await assert.rejects(readDeck(claimed, { ...deps, blobs: { ...deps.blobs, put } }, { limits: patientLimits }), LostLease)
      await sweepBlobs(store, deps.blobs, clock.now() + hourMs)
      assert.ok(keys.length > 0)
      for (const key of keys) assert.equal(await deps.blobs.find(key), undefined)
    }))

  if (name === 'sqlite') {
    guaranteeHere('half a file of a killed process goes beside one that is used', async ({ store, blobs, directory, clock }) => {
      const key = await blobs.put(bytes, 'jpg')
      await store.write((tx) => useBlobs(tx, 'deck-1', [key]))
      const [file] = allFiles(directory)
      writeFileSync(join(file?.parentPath ?? '', `${key}.abcdefgh.part`), 'half')
      assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs), 0)
      assert.deepEqual(
        allFiles(directory).map((entry) => entry.name),
        [key],
      )
    })

    test('what processes that were killed had put goes: files and halves of files stayed for ever', async (t) => {
      const directory = mkdtempSync(join(tmpdir(), 'rostrum-blobs-'))
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      for (let kill = 0; kill < 4; kill++) {
        const putting = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
        let lines = 0
        createInterface(putting.stdout).on('line', () => {
          if (++lines === 5 + kill * 3) putting.kill('SIGKILL')
        })
        await once(putting, 'exit')
        assert.equal(putting.signalCode, 'SIGKILL')
      }
      const store = await openSqlite(directory, { outbox: testOutbox })
      const clock = manualClock()
      const blobs = createFileBlobs(join(directory, 'blobs'), { store, clock, ids })
      assert.ok(allFiles(join(directory, 'blobs')).length >= 30)
      const [{ last } = { last: 0 }] = await store.read
        .selectFrom('loose_blobs')
        .select(({ fn }) => fn.max('since').as('last'))
        .execute()
      await sweepBlobs(store, blobs, Number(last) + hourMs)
      assert.deepEqual(allFiles(join(directory, 'blobs')), [])
      await store.close()
    })
    return
  }

  guarantee('a picture of two decks that go at the same moment goes too: it stayed for ever', async ({ store, blobs, clock }) => {
    const key = await blobs.put(bytes, 'jpg')
    await store.write(async (tx) => {
      await useBlobs(tx, 'deck-1', [key])
      await useBlobs(tx, 'deck-2', [key])
      await tx.deleteFrom('loose_blobs').execute()
    })
    const { other } = await store.write(async (tx) => {
      await releaseBlobs(tx, 'deck-1', clock.now())
      const other = store.write((second) => releaseBlobs(second, 'deck-2', clock.now()))
      await untilHeldUp(store, other)
      return { other }
    })
    await other
    assert.equal(await sweepBlobs(store, blobs, clock.now() + hourMs), 1)
    assert.equal(await blobs.find(key), undefined)
  })
})

const script = fileURLToPath(new URL('../support/putting.ts', import.meta.url))
