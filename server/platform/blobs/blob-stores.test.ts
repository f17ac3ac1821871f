import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { seededIds } from '../../../test/support/ids.ts'
import { openTestStore } from '../../../test/support/stores.ts'
import { systemClock as clock } from '@rostrum/base/clock'
import type { Store } from '../db/store.ts'
import { createFileBlobs } from './blob-stores.ts'
import { blobKey, findMedia, mediaTypeOf } from './blobs.ts'

let directory: string
let store: Store
beforeEach(async () => {
  store = await openTestStore()
  directory = mkdtempSync(join(tmpdir(), 'rostrum-blobs-'))
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = (at = directory) => createFileBlobs(at, { store, clock, ids: seededIds() })

const files = () => readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

test('equal bytes are kept once, privately, and nothing half-written is left', async () => {
  const blobs = open()
  const bytes = Buffer.from('slide')
  const keys = await Promise.all(Array.from({ length: 10 }, () => blobs.put(bytes, 'jpg')))
  assert.deepEqual(new Set(keys), new Set([blobKey(bytes, 'jpg')]))
  assert.equal(files().length, 1)
  const [file] = files()
  assert.equal(statSync(join(file?.parentPath ?? '', file?.name ?? '')).mode & 0o077, 0)
  assert.deepEqual(await blobs.find(keys[0] ?? ''), bytes)
})

test('a file cut short by a crash is written again', async () => {
  const blobs = open()
  const key = await blobs.put(Buffer.from('whole'), 'jpg')
  writeFileSync(join(directory, key.slice(0, 2), key), 'wh')
  await blobs.put(Buffer.from('whole'), 'jpg')
  assert.equal(String(await blobs.find(key)), 'whole')
})

test('a name that is no key is never a path', async () => {
  const blobs = open(join(directory, 'blobs'))
  writeFileSync(join(directory, 'secret.key'), 'x')
  for (const name of [
    '../../../server/decks/secret.key',
    '..%2fsecret.key',
    '/etc/passwd',
    '',
    `${'a'.repeat(64)}.jpg/..`,
    `${'A'.repeat(64)}.jpg`,
  ]) {
    assert.equal(await blobs.find(name), undefined, name)
    await store.write((tx) => blobs.remove(tx, [name], new Set()))
  }
  assert.equal(files().length, 1)
})

test('only what is made here is served, uploads never', async () => {
  const blobs = open()
  const picture = await blobs.put(Buffer.from('picture'), 'jpg')
  const upload = await blobs.put(Buffer.from('%PDF-'), 'pdf')
  const found = async (name: string) => findMedia(name, { store, blobs })
  const shown = await found(picture)
  assert.ok(shown !== undefined && shown !== 'gone')
  const into = Buffer.alloc(100)
  const read = await shown.read(0, into)
  assert.deepEqual([shown.type, shown.sizeBytes, into.toString('latin1', 0, read)], ['image/jpeg', 7, 'picture'])
  assert.equal(await found(upload), undefined)
  assert.equal(await found(upload.replace('.pdf', '.jpg')), undefined)
  for (const extension of ['svg', 'pdf', 'pptx', 'bin', 'js']) assert.equal(mediaTypeOf(`${'0'.repeat(64)}.${extension}`), undefined)
})
