// Work on a deck while the deck goes: on PostgreSQL, where two writes can be under way at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { orderClips } from '../../server/voice/clip-jobs.ts'
import { forget } from '../../server/decks/deck-rows.ts'
import { fetchPictures } from '../../server/decks/ingest/worker.ts'
import { LostLease } from '../../server/platform/db/jobs.ts'
import { readDeck } from '../../server/decks/ingest/read-deck.ts'
import { beginDeck, claimedDeck } from '../support/claimed-deck.ts'
import { patientLimits } from '../support/decks.ts'
import { eachTriedOnce, untilHeldUp } from '../support/held-up.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((name, open) => {
  if (name !== 'postgres') return

  interface Presented extends TestService {
    sessionId: string
    deckId: string
  }
  /** With a session of one slide, whose script is compiled. */
  const guarantee = (words: string, fn: (app: Presented) => Promise<void>) =>
    test(words, () =>
      withService(eachTriedOnce(open), async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', {
          title: 'Grid',
          slides: [{ textContent: 'Grid\n- The grid holds what the wind brings at night' }],
        })
        await app.service.decks.scripts.idle()
        const sessionId = String(body.sessionId)
        const { id: deckId } = await app.store.read.selectFrom('decks').select('id').executeTakeFirstOrThrow()
        await fn({ ...app, sessionId, deckId })
      }),
    )

  guarantee('a picture that comes while its deck is being removed is given up, and neither is tried again', async (app) => {
    const { service, store, clock, sessionId } = app
    const { deps } = service.decks
    await store.write((tx) => tx.updateTable('slides').set({ image_url: 'https://x.org/a.png', image_state: 'pending' }).execute())
    const claimed = await beginDeck(store, app.deckId)
    const outbound = { ...deps.outbound, request: async () => ({ ok: false, reason: 'connect', detail: 'Nobody is there.' }) as const }
    const { removing, fetching } = await store.write(async (tx) => {
      await sql`LOCK TABLE scripts IN SHARE MODE`.execute(tx)
      const removing = store.write((other) => forget(other, sessionId, clock.now()))
      assert.equal(await untilHeldUp(store, removing), 1)
      const fetching = fetchPictures(claimed, { ...deps, outbound }, { limits: patientLimits })
      fetching.catch(() => undefined)
      assert.equal(await untilHeldUp(store, removing, fetching), 2)
      return { removing, fetching }
    })
    await removing
    await assert.rejects(fetching, LostLease)
    assert.deepEqual(await store.read.selectFrom('slides').select('id').execute(), [])
  })

  guarantee(
    'a file is read where the deck with the same pages is removed meanwhile: the new deck was once ready and empty',
    async (app) => {
      const { service, store, clock, sessionId, api } = app
      const { deps } = service.decks
      const text = '# Pumps\n\nThey are quiet.'
      await readDeck(await claimedDeck(app, sessionId, text), deps, { limits: patientLimits })
      const copy = String((await api('POST', '/api/v1/agent/sessions', { title: 'Copy' })).body.sessionId)
      await service.decks.scripts.idle()
      const claimed = await claimedDeck(app, copy, text)
      const { reading } = await store.write(async (tx) => {
        await sql`LOCK TABLE slides IN SHARE MODE`.execute(tx)
        const reading = readDeck(claimed, deps, { limits: patientLimits })
        assert.equal(await untilHeldUp(store, reading), 1)
        await forget(tx, sessionId, clock.now())
        return { reading }
      })
      await reading
      const { body } = await api('GET', `/api/v1/agent/sessions/${copy}/deck`)
      assert.deepEqual([body.state, body.slides.map(({ title }: { title: string }) => title)], ['ready', ['Pumps']])
    },
  )

  /** Deletes the session, and commits once `work` waits for that or has gone by. */
  async function deleteDuring({ service, store, clock, sessionId }: Presented, work: () => Promise<unknown>): Promise<void> {
    const { done } = await store.write(async (tx) => {
      await service.sessions.forget(tx, sessionId, clock.now())
      await tx.deleteFrom('sessions').where('id', '=', sessionId).execute()
      const done = work()
      await untilHeldUp(store, done)
      return { done }
    })
    await done
  }

  guarantee('a script that is compiled while its session is deleted is not kept', async (app) => {
    const { service, store, sessionId } = app
    await store.write((tx) => tx.updateTable('sessions').set({ title: 'Told in another way' }).execute())
    await deleteDuring(app, () => service.decks.scripts.find(sessionId))
    assert.deepEqual(await store.read.selectFrom('scripts').select('deck_id').execute(), [])
  })

  guarantee('clips that are ordered while their session is deleted are not kept', async (app) => {
    const { store, deckId } = app
    await deleteDuring(app, () => store.write((tx) => orderClips(tx, deckId, 'alto', [{ key: 'k', text: 'It is so.', position: 0 }])))
    assert.deepEqual(await store.read.selectFrom('clips').select('deck_id').execute(), [])
  })
})
