// Headers that a backup can meet: long paths, large sizes, and damage.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEntries, writeEnd, writeEntry } from './tar.ts'

async function roundTrip(files: readonly (readonly [string, Uint8Array])[]): Promise<[string, Buffer][]> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  const archive = await open(join(directory, 'a.tar'), 'w+')
  try {
    for (const [path, bytes] of files) await writeEntry(archive, { path, sizeBytes: bytes.length }, [bytes])
    await writeEnd(archive)
    const reading = await open(join(directory, 'a.tar'), 'r')
    const read: [string, Buffer][] = []
    try {
      await readEntries(reading, async ({ path }) => {
        const chunks: Uint8Array[] = []
        return { write: (chunk) => void chunks.push(chunk), end: async () => void read.push([path, Buffer.concat(chunks)]) }
      })
    } finally {
      await reading.close()
    }
    return read
  } finally {
    await archive.close()
    rmSync(directory, { recursive: true })
  }
}

const step = fc.stringMatching(/^[a-zA-Z0-9_é-]{1,40}$/)
const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join('/'))

test('what is written is read back, byte for byte and in order', async () => {
  const file = fc.tuple(path, fc.uint8Array({ maxLength: 2_000 }))
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 5 }), async (files) => {
      const read = await roundTrip(files)
      assert.deepEqual(
        read,
        files.map(([name, bytes]) => [name, Buffer.from(bytes)]),
      )
    }),
    { numRuns: 50 },
  )
})

test('a path that does not fit is refused when it is written', async () => {
  await assert.rejects(roundTrip([['x'.repeat(101), new Uint8Array()]]), /too long/)
})

test('an entry that is shorter than it said is refused when it is written', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  const archive = await open(join(directory, 'a.tar'), 'w')
  await assert.rejects(writeEntry(archive, { path: 'a', sizeBytes: 2 }, [new Uint8Array(1)]), /changed its size/)
  await archive.close()
  rmSync(directory, { recursive: true })
})

test('a size beyond 8 GiB fits its header', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  const archive = await open(join(directory, 'a.tar'), 'w+')
  const sizeBytes = 9 * 2 ** 30
  await assert.rejects(writeEntry(archive, { path: 'large', sizeBytes }, []), /changed its size/)
  await archive.close()
  const reading = await open(join(directory, 'a.tar'), 'r')
  const seen = readEntries(reading, async (entry) => {
    assert.deepEqual(entry, { path: 'large', sizeBytes })
    throw new Error('seen')
  })
  await assert.rejects(seen, /^Error: seen$/)
  await reading.close()
  rmSync(directory, { recursive: true })
})
