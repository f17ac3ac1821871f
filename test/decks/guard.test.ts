// `pdfUrl` and `imageUrl` pass the suite of every guarded feature. The rows are written past the check at submission, so that
// the verdict at the moment of the fetch is what is tested.
import assert from 'node:assert/strict'
import { createFromSlides, createFromUrl } from '../../server/decks/create-content.ts'
import { prepareSlide } from '../../server/decks/new-slide.ts'
import type { Outbound } from '../../server/platform/egress/outbound.ts'
import { openDecks, sessionOf } from '../support/decks.ts'
import { guardSuite } from '../support/guard-suite.ts'

async function open(outbound: Outbound) {
  const it = await openDecks({ outbound })
  const owner = async () => ({ sessionId: sessionOf(await it.newSession()), accountId: 'acct-1', now: 1 })
  return { it, owner }
}

guardSuite('pdfUrl', async (outbound) => {
  const { it, owner } = await open(outbound)
  return {
    async fetch(url) {
      const whose = await owner()
      await it.store.write((tx) => createFromUrl(tx, whose, { pdfUrl: url, overrides: [] }, it.decks.deps))
      await it.jobs.idle()
      const deck = await it.store.read
        .selectFrom('decks')
        .select('state')
        .where('session_id', '=', whose.sessionId)
        .executeTakeFirstOrThrow()
      assert.equal(deck.state, 'failed', url)
    },
    close: it.close,
  }
})

guardSuite('imageUrl', async (outbound) => {
  const { it, owner } = await open(outbound)
  return {
    async fetch(url) {
      const whose = await owner()
      const deckId = await it.store.write((tx) => createFromSlides(tx, whose, [{ imageUrl: url }].map(prepareSlide), it.decks.deps))
      await it.jobs.idle()
      const slide = await it.store.read.selectFrom('slides').select('image_state').where('deck_id', '=', deckId).executeTakeFirstOrThrow()
      assert.equal(slide.image_state, 'failed', url)
    },
    close: it.close,
  }
})
