// What the store promises of decks, on both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFromSlides, createFromUrl, replacePassages } from '../../src/sessions/deck/create-content.ts'
import { deckInService } from '../../src/sessions/deck/deck-in-service.ts'
import { forget } from '../../src/sessions/deck/deck-rows.ts'
import { claimDocument, claimPictures, LostLease, released, updateClaimed } from '../../src/sessions/deck/ingest/lease.ts'
import { systemIds } from '../../src/platform/ids.ts'
import { sessionRow } from '../support/rows.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { eachStore } from '../support/stores.ts'

const deps = { ids: systemIds, mediaBase: 'https://rostrum.test' }
const owner = { sessionId: sessionRow().id, accountId: 'acct-1', now: 5_000 }

async function withSession(store: Store): Promise<void> {
  await store.write(async (tx) => void (await tx.insertInto('sessions').values(sessionRow()).execute()))
}

eachStore((_, open) => {
  test('three hundred slides and two hundred passages of full length are kept in order', async () => {
    const { store } = await open()
    await withSession(store)
    const slides = Array.from({ length: 300 }, (_, i) => ({ textContent: `Slide ${i}\n${'é'.repeat(5_000)}`, agentNotes: 'n' }))
    const passages = Array.from({ length: 200 }, (_, i) => ({ title: `P${i}`, content: 'x'.repeat(5_000) }))
    await store.write(async (tx) => {
      await createFromSlides(tx, owner, slides, deps)
      await replacePassages(tx, owner.sessionId, passages, deps)
    })
    const deck = await deckInService(store.read, owner.sessionId, deps.mediaBase)
    assert.deepEqual(
      deck?.slides.map(({ title }) => title),
      slides.map((_, i) => `Slide ${i}`),
    )
    assert.deepEqual(
      deck?.passages.map(({ title }) => title),
      passages.map(({ title }) => title),
    )
    await store.write((tx) => forget(tx, owner.sessionId, 1))
    assert.equal((await store.read.selectFrom('slides').select('id').execute()).length, 0)
  })

  test('one of many workers gets a deck, and who lost the claim changes nothing', async () => {
    const { store, another } = await open()
    const second = await another()
    await withSession(store)
    await store.write((tx) => createFromUrl(tx, owner, { pdfUrl: 'https://x.org/a.pdf', overrides: [] }, deps))
    const tries = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? store : second).write((tx) => claimDocument(tx, 'others', systemIds, 10_000)),
    )
    const claimed = (await Promise.all(tries)).filter((deck) => deck !== undefined)
    assert.equal(claimed.length, 1)
    const [first] = claimed
    assert.ok(first)
    const later = await store.write((tx) => claimDocument(tx, 'others', systemIds, 10_000 + 300_000))
    assert.equal(later?.id, first.id)
    await assert.rejects(
      store.write((tx) => updateClaimed(tx, first, { state: 'ready' }, 400_000)),
      LostLease,
    )
    assert.equal((await store.read.selectFrom('decks').select('state').executeTakeFirst())?.state, 'processing')
  })

  test('pictures to fetch are claimed once the deck is ready, until none waits', async () => {
    const { store } = await open()
    await withSession(store)
    await store.write((tx) => createFromSlides(tx, owner, [{ imageUrl: 'https://x.org/a.png' }], deps))
    const claimed = await store.write((tx) => claimPictures(tx, systemIds, 10_000))
    assert.ok(claimed)
    assert.equal(await store.write((tx) => claimPictures(tx, systemIds, 10_000)), undefined)
    await store.write(async (tx) => {
      await tx.updateTable('slides').set({ image_state: 'failed' }).execute()
      await updateClaimed(tx, claimed, released, 10_000)
    })
    assert.equal(await store.write((tx) => claimPictures(tx, systemIds, 10_000)), undefined)
  })

  test('a newer upload ends an unfinished one', async () => {
    const { store } = await open()
    await withSession(store)
    await store.write((tx) => createFromUrl(tx, owner, { pdfUrl: 'https://x.org/a.pdf', overrides: [] }, deps))
    const claimed = await store.write((tx) => claimDocument(tx, 'others', systemIds, 10_000))
    await store.write((tx) => createFromSlides(tx, owner, [{ textContent: 'Newer' }], deps))
    assert.ok(claimed)
    await assert.rejects(
      store.write((tx) => updateClaimed(tx, claimed, { state: 'ready' }, 10_000)),
      LostLease,
    )
    assert.equal((await deckInService(store.read, owner.sessionId, deps.mediaBase))?.slides[0]?.text, 'Newer')
  })
})
