// The worker across stops and processes: nothing is lost, nothing is read twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { json, openDecks, patientLimits, sessionOf } from '../support/decks.ts'
import { buildPdf } from '../support/documents.ts'
import { hostileDocuments } from '../support/hostile-documents.ts'

const upload = (bytes: Uint8Array) => [bytes, { 'Content-Type': 'application/pdf' }] as const

test('a worker that is stopped lets go at once, and the next one takes the deck up', async () => {
  const bomb = hostileDocuments.find(({ name }) => name === 'forms that draw each other 2^40 times')
  assert.ok(bomb)
  const first = await openDecks()
  const at = await first.newSession()
  await first.request('PUT', `${at}/deck`, ...upload(bomb.build()))
  const deck = () =>
    first.store.read
      .selectFrom('decks')
      .innerJoin('jobs', 'jobs.key', 'decks.id')
      .select(['state', 'lease_token', 'reason'])
      .where('session_id', '=', sessionOf(at))
      .executeTakeFirstOrThrow()
  const begun = Promise.withResolvers<void>()
  const stopListening = first.store.listen('deck:', () => begun.resolve())
  await begun.promise
  stopListening()
  await first.jobs.close()
  assert.deepEqual(await deck(), { state: 'processing', lease_token: null, reason: null })
  // Room enough that the time of the page is the limit that is met; reader.test.ts holds the one of memory.
  const second = await openDecks({ before: first, limits: { ...patientLimits, pageMs: 300, memoryBytes: 8 * 1024 ** 3 } })
  await second.jobs.idle()
  const { reason } = await first.store.read.selectFrom('decks').select('reason').executeTakeFirstOrThrow()
  assert.equal(reason, 'No page of the file could be read. The page takes too long to draw.')
  await second.close()
  await first.close()
})

test('a worker that was stopped while its deck was taken from it logged a failure', async () => {
  const bomb = hostileDocuments.find(({ name }) => name === 'forms that draw each other 2^40 times')
  assert.ok(bomb)
  const it = await openDecks()
  const at = await it.newSession()
  await it.request('PUT', `${at}/deck`, ...upload(bomb.build()))
  const begun = Promise.withResolvers<void>()
  const stopListening = it.store.listen('deck:', () => begun.resolve())
  await begun.promise
  stopListening()
  await it.store.write((tx) => tx.updateTable('jobs').set({ lease_token: 'another' }).execute())
  await it.close()
  assert.deepEqual(it.warned, [])
})

test('a deck that waits tells how many are read before it, and about how long that takes', async () => {
  const waiting = await openDecks({ compiles: false })
  const bytes = buildPdf([{ lines: ['A page', 'with enough words to be read'] }])
  const send = async (account: string) => {
    const at = await waiting.newSession(account)
    const as = { Authorization: `Bearer ${account}` }
    assert.equal((await waiting.request('PUT', `${at}/deck`, bytes, { 'Content-Type': 'application/pdf', ...as })).status, 202)
    return async () => json<DeckView>(await waiting.request('GET', `${at}/deck`, undefined, as))
  }
  for (let n = 0; n < 3; n++) await send('acct-many')
  const deck = await send('acct-host')
  const { state, queue } = await deck()
  assert.deepEqual([state, queue], ['pending', { before: 1, seconds: 8 }])
  const worker = await openDecks({ before: waiting })
  await worker.jobs.idle()
  const read = await deck()
  assert.deepEqual([read.state, read.queue], ['ready', undefined])
  await worker.close()
  await waiting.close()
})

test('two workers share what waits, and each deck is read once', async () => {
  const one = await openDecks()
  const two = await openDecks({ before: one })
  const sessions = await Promise.all(Array.from({ length: 6 }, () => one.newSession()))
  await Promise.all(
    sessions.map((at, i) =>
      one.request('PUT', `${at}/deck`, ...upload(buildPdf([{ lines: [`Deck ${i}`, 'with enough words to be read'] }]))),
    ),
  )
  const isDone = async () => (await one.store.read.selectFrom('decks').select('id').where('state', '!=', 'ready').execute()).length === 0
  while (!(await isDone())) await Promise.all([one.jobs.idle(), two.jobs.idle()])
  const slides = await one.store.read.selectFrom('slides').select('title').orderBy('title').execute()
  assert.deepEqual(
    slides.map(({ title }) => title),
    // Two lines of one size: the title goes on.
    sessions.map((_, i) => `Deck ${i} with enough words to be read`),
  )
  assert.deepEqual([...one.warned, ...two.warned], [])
  await two.close()
  await one.close()
})

test('a fault of ours is told to the operator with its cause and to the owner in words', async () => {
  const it = await openDecks()
  const at = await it.newSession()
  it.decks.deps.blobs.find = async () => Promise.reject(new Error('disk on fire'))
  await it.request('PUT', `${at}/deck`, ...upload(buildPdf([{ lines: ['x'] }])))
  await it.jobs.idle()
  const deck = await it.store.read.selectFrom('decks').select(['state', 'reason']).executeTakeFirstOrThrow()
  assert.deepEqual(deck, { state: 'failed', reason: 'Something went wrong on our side. Send the file again.' })
  assert.match(it.warned.join(), /disk on fire/)
  await it.close()
})
