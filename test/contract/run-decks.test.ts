// A run and the deck version that it began with, while the host replaces the deck: whoever comes in sees slides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertDeck, insertSlides, putInService } from '../../server/decks/deck-rows.ts'
import { prepareSlide, slideRows } from '../../server/decks/new-slide.ts'
import { keepDeck } from '../../server/runs/room/open-run.ts'
import { holdSession } from '../../server/sessions/session.ts'
import type { Store, Tx } from '../../server/platform/db/store.ts'
import { eachTriedOnce, untilHeldUp } from '../support/held-up.ts'
import { runRow } from '../support/rows.ts'
import { type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slidesOf = (title: string) => [{ textContent: `${title}\n- It is so` }]

/** A published session whose script is compiled, and of which every event is told: nothing is written any more but what a test asks for. */
async function published({ api, service }: TestService, mode: 'isolated' | 'broadcast') {
  const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, mode, slides: slidesOf('Old') })
  await service.decks.scripts.idle()
  await service.webhooks.idle()
  const { sessionId, slug } = body as { sessionId: string; slug: string }
  const path = `/api/v1/agent/sessions/${sessionId}`
  return {
    sessionId,
    join: () => api('POST', `/api/v1/rooms/${slug}/attendees`, {}, null),
    rehearse: () => api('POST', `${path}/rehearsals`, {}),
    replace: () => api('PUT', `${path}/deck`, { slides: slidesOf('New') }),
  }
}

const titlesOf = async (store: Store, runId: string) =>
  (
    await store.read
      .selectFrom('slides')
      .innerJoin('runs', 'runs.deck_id', 'slides.deck_id')
      .where('runs.id', '=', runId)
      .select('slides.title')
      .execute()
  ).map(({ title }) => title)

/** A store on which `first` is done before the next write begins. */
function interrupted(store: Store) {
  let next: (() => Promise<unknown>) | undefined
  const write: Store['write'] = async (fn, manner) => {
    const first = next
    next = undefined
    await first?.()
    return store.write(fn, manner)
  }
  return { store: { ...store, write }, beforeNextWrite: (first: () => Promise<unknown>) => void (next = first) }
}

async function putNewInService({ service, accountId, clock }: TestService, tx: Tx, sessionId: string): Promise<void> {
  const { ids, mediaBase } = service.decks.deps
  await holdSession(tx, sessionId)
  const wanted = { session_id: sessionId, account_id: accountId, kind: 'slides', state: 'ready', created_at: clock.now() } as const
  const deck = await insertDeck(tx, ids, wanted)
  await insertSlides(tx, slideRows(deck.id, slidesOf('Newest').map(prepareSlide), [], ids, mediaBase))
  await putInService(tx, deck, 1, clock.now())
}

eachStore((name, open) => {
  for (const way of ['join', 'rehearse'] as const)
    for (const mode of ['isolated', 'broadcast'] as const)
      test(`who comes to a talk (${way}, ${mode}) while its deck is replaced sees the new one: the talk once had no slides`, async () => {
        const opened = await open()
        const { store, beforeNextWrite } = interrupted(opened.store)
        await withService(
          async () => ({ ...opened, store }),
          async (app) => {
            const session = await published(app, mode)
            beforeNextWrite(session.replace)
            const { status, body } = await session[way]()
            assert.ok(status < 300, `${status}`)
            assert.deepEqual(await titlesOf(store, body.runId), ['New'])
          },
        )
      })

  if (name !== 'postgres') return

  test('who comes while a new deck is being put in service waits for it', () =>
    withService(eachTriedOnce(open), async (app) => {
      const { store } = app
      const { sessionId, join } = await published(app, 'broadcast')
      const { joining } = await store.write(async (tx) => {
        await putNewInService(app, tx, sessionId)
        const joining = join()
        assert.equal(await untilHeldUp(store, joining), 1)
        return { joining }
      })
      assert.deepEqual(await titlesOf(store, (await joining).body.runId), ['Newest'])
    }))

  test('who comes while the deck is replaced for the second time waits again: the talk had no slides', () =>
    withService(eachTriedOnce(open), async (app) => {
      const { store, accountId } = app
      const { sessionId, replace } = await published(app, 'isolated')
      const { id: deck_id } = await store.read.selectFrom('decks').select('id').executeTakeFirstOrThrow()
      await replace()
      const run = runRow({ session_id: sessionId, account_id: accountId, deck_id })
      const { coming } = await store.write(async (tx) => {
        await putNewInService(app, tx, sessionId)
        const coming = store.write(async (own) => {
          await own.insertInto('runs').values(run).execute()
          await keepDeck(own, run)
        })
        assert.equal(await untilHeldUp(store, coming), 1)
        return { coming }
      })
      await coming
      assert.deepEqual(await titlesOf(store, run.id), ['Newest'])
    }))

  test('a deck that is replaced while somebody comes to it stays for them', () =>
    withService(eachTriedOnce(open), async (app) => {
      const { store, accountId } = app
      const { sessionId, replace } = await published(app, 'isolated')
      const { id: deck_id } = await store.read.selectFrom('decks').select('id').executeTakeFirstOrThrow()
      const run = runRow({ session_id: sessionId, account_id: accountId, deck_id })
      const { replacing } = await store.write(async (tx) => {
        await tx.insertInto('runs').values(run).execute()
        await keepDeck(tx, run)
        const replacing = replace()
        assert.equal(await untilHeldUp(store, replacing), 1)
        return { replacing }
      })
      assert.equal((await replacing).status, 200)
      assert.deepEqual(await titlesOf(store, run.id), ['Old'])
    }))
})
