// What the store promises of decks, on both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFromSlides, createFromUrl } from '../../server/decks/create-content.ts'
import { preparePassages, replacePassages } from '../../server/knowledge/passage-rows.ts'
import { prepareSlide } from '../../server/decks/new-slide.ts'
import { deckInService } from '../../server/decks/content.ts'
import { forget } from '../../server/decks/deck-rows.ts'
import { updateClaimed } from '../../server/decks/ingest/claimed.ts'
import { LostLease } from '../../server/platform/db/jobs.ts'
import { systemIds } from '@rostrum/base/clock'
import { beginDeck } from '../support/claimed-deck.ts'
import { sessionRow } from '../support/rows.ts'
import type { Store } from '../../server/platform/db/store.ts'
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
    const passages = await preparePassages(Array.from({ length: 200 }, (_, i) => ({ title: `P${i}`, content: 'xy'.repeat(2_500) })))
    await store.write(async (tx) => {
      await createFromSlides(tx, owner, slides.map(prepareSlide), deps)
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

  test('who lost the lease of a deck changes nothing', async () => {
    const { store } = await open()
    await withSession(store)
    const id = await store.write((tx) => createFromUrl(tx, owner, { pdfUrl: 'https://x.org/a.pdf', overrides: [] }, deps))
    const first = await beginDeck(store, id)
    const second = await beginDeck(store, id, 'another')
    await assert.rejects(
      store.write((tx) => updateClaimed(tx, first, { state: 'ready' })),
      LostLease,
    )
    assert.equal((await store.read.selectFrom('decks').select('state').executeTakeFirst())?.state, 'processing')
    await store.write((tx) => updateClaimed(tx, second, { state: 'ready' }))
    assert.equal((await store.read.selectFrom('decks').select('state').executeTakeFirst())?.state, 'ready')
  })

  test('a deck of slides waits for its pictures alone, and one without pictures for nothing', async () => {
    const { store } = await open()
    await withSession(store)
    const waiting = async () => (await store.read.selectFrom('jobs').select(['kind', 'key']).execute()).map(({ kind, key }) => [kind, key])
    await store.write((tx) => createFromSlides(tx, owner, [{ textContent: 'Plain' }].map(prepareSlide), deps))
    assert.deepEqual(await waiting(), [])
    const id = await store.write((tx) => createFromSlides(tx, owner, [{ imageUrl: 'https://x.org/a.png' }].map(prepareSlide), deps))
    assert.deepEqual(await waiting(), [['deck', id]])
  })

  test('a newer upload ends an unfinished one', async () => {
    const { store } = await open()
    await withSession(store)
    const id = await store.write((tx) => createFromUrl(tx, owner, { pdfUrl: 'https://x.org/a.pdf', overrides: [] }, deps))
    const claimed = await beginDeck(store, id)
    await store.write((tx) => createFromSlides(tx, owner, [{ textContent: 'Newer' }].map(prepareSlide), deps))
    await assert.rejects(
      store.write((tx) => updateClaimed(tx, claimed, { state: 'ready' })),
      LostLease,
    )
    assert.equal((await deckInService(store.read, owner.sessionId, deps.mediaBase))?.slides[0]?.text, 'Newer')
  })
})
