// Changes of one session at the same moment: each is taken or refused, none is half done and none undoes another unseen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveRows } from '../../server/agents/claim.ts'
import { sweepAuth } from '../../server/agents/sweep.ts'
import { createFromSlides } from '../../server/decks/create-content.ts'
import { prepareSlide } from '../../server/decks/new-slide.ts'
import { insertDeck } from '../../server/decks/deck-rows.ts'
import { LostLease } from '../../server/platform/db/jobs.ts'
import { readDeck } from '../../server/decks/ingest/read-deck.ts'
import { leadDedupeKey } from '../../server/leads/lead.ts'
import { holdSession } from '../../server/sessions/session.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { claimedDeck } from '../support/claimed-deck.ts'
import { patientLimits } from '../support/decks.ts'
import { eachTriedOnce, untilHeldUp } from '../support/held-up.ts'
import { runRow } from '../support/rows.ts'
import { type Answer, type TestService, withService } from '../support/service.ts'
import { eachStore, type OpenStore } from '../support/stores.ts'

const day = 86_400_000
const slidesOf = (...titles: readonly string[]) => titles.map((title) => ({ textContent: `${title}\n- It is so` }))

eachStore((name, open) => {
  test('decks that are sent at once are all taken, and one of them is whole in service: they once answered 500 on PostgreSQL', () =>
    withService(open, async ({ api }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: slidesOf('First') })).body
      const path = `/api/v1/agent/sessions/${sessionId}/deck`
      const sent = Array.from({ length: 8 }, (_each, n) => [`Deck ${n}, one`, `Deck ${n}, two`])
      const answers = await Promise.all(sent.map((titles) => api('PUT', path, { slides: slidesOf(...titles) })))
      assert.deepEqual(
        answers.map(({ status }) => status),
        sent.map(() => 200),
      )
      const { body } = await api('GET', path)
      const titles = body.slides.map(({ title }: { title: string }) => title)
      assert.ok(
        sent.some((each) => each.join() === titles.join()),
        titles.join(),
      )
    }))

  test('slides that are changed at once are all changed', () =>
    withService(open, async ({ api }) => {
      const names = ['One', 'Two', 'Three', 'Four', 'Five']
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: slidesOf(...names) })).body
      const path = `/api/v1/agent/sessions/${sessionId}/deck`
      const { slides } = (await api('GET', path)).body
      const answers = await Promise.all(
        slides.map(({ id, title }: { id: string; title: string }) =>
          api('PATCH', `${path}/slides/${id}`, { textContent: `${title} changed` }),
        ),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        names.map(() => 200),
      )
      const after = (await api('GET', path)).body.slides
      assert.deepEqual(
        after.map(({ title }: { title: string }) => title),
        names.map((name) => `${name} changed`),
      )
    }))

  test('knowledge that is sent at once is that of one of the senders, not of all', () =>
    withService(open, async ({ api }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      const path = `/api/v1/agent/sessions/${sessionId}/knowledge`
      const sent = Array.from({ length: 8 }, (_each, n) => [`The warranty is ${n} years.`, `Made in ${n} days.`])
      const answers = await Promise.all(sent.map((texts) => api('PUT', path, { passages: texts.map((content) => ({ content })) })))
      assert.deepEqual(
        answers.map(({ status }) => status),
        sent.map(() => 200),
      )
      const kept = (await api('GET', path)).body.passages.map(({ content }: { content: string }) => content)
      assert.ok(
        sent.some((each) => each.join() === kept.join()),
        kept.join(),
      )
    }))

  test('settings and status of one change are seen together', async () => {
    const seen: string[] = []
    const watched: OpenStore = async (time) => {
      const opened = await open(time)
      const { read, write } = opened.store
      const look: Store['write'] = async (fn, manner) => {
        const value = await write(fn, manner)
        for (const { title, status } of await read.selectFrom('sessions').select(['title', 'status']).execute())
          seen.push(`${title} ${status}`)
        return value
      }
      return { ...opened, store: { ...opened.store, write: look } }
    }
    await withService(watched, async ({ api }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      assert.equal((await api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { title: 'Pumps', isLive: true })).status, 200)
    })
    assert.deepEqual([...new Set(seen)], ['Grid draft', 'Pumps published'])
  })

  // From here on writes wait for each other, and SQLite makes one at a time.
  if (name !== 'postgres') return

  test('who knows the id of a session of another account does not wait for its owner, and so learns nothing', () =>
    withService(open, async ({ api, newKey, store }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      const key = await newKey()
      const asking = await store.write(async (tx) => {
        await holdSession(tx, sessionId)
        const answer = api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { title: 'Mine' }, key)
        assert.equal(await untilHeldUp(store, answer), 0)
        return { answer }
      })
      assert.equal((await asking.answer).status, 404)
    }))

  test('a deck that is ready while another is sent gives way to it, and neither is tried again', () =>
    withService(eachTriedOnce(open), async (app) => {
      const { api, service, store, accountId, clock } = app
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      const older = await claimedDeck(app, sessionId, '# Older')
      const newer = { session_id: sessionId, account_id: accountId, kind: 'slides', created_at: clock.now() } as const
      const { reading } = await store.write(async (tx) => {
        await holdSession(tx, sessionId)
        const reading = readDeck(older, service.decks.deps, { limits: patientLimits })
        reading.catch(() => undefined)
        assert.equal(await untilHeldUp(store, reading), 1)
        await insertDeck(tx, service.decks.deps.ids, { ...newer, state: 'ready' })
        return { reading }
      })
      await assert.rejects(reading, LostLease)
    }))

  test('what is sent while the clean-up removes the session of an agent that nobody claimed is removed with it', () =>
    withService(eachTriedOnce(open), async ({ api, service, store, clock }) => {
      const { access_token } = (await api('POST', '/api/v1/auth/register', { client_name: 'Copilot', identity_type: 'anonymous' }, null))
        .body
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' }, access_token)).body
      const { account_id: accountId } = await store.read.selectFrom('sessions').select('account_id').executeTakeFirstOrThrow()
      const { sweeping } = await store.write(async (tx) => {
        await holdSession(tx, sessionId)
        const sweeping = sweepAuth({ store, stopRuns: service.sessions.stopRuns, forget: service.sessions.forget }, clock.now() + 10 * day)
        assert.equal(await untilHeldUp(store, sweeping), 1)
        await createFromSlides(tx, { sessionId, accountId, now: clock.now() }, slidesOf('Late').map(prepareSlide), service.decks.deps)
        return { sweeping }
      })
      await sweeping
      assert.deepEqual(await store.read.selectFrom('sessions').select('id').execute(), [])
      assert.deepEqual(await store.read.selectFrom('slides').select('title').execute(), [])
    }))

  /** What `send` is answered with, begun while its session is being deleted. */
  async function sentDuringDeletion({ api, service, store, clock }: TestService, send: (sessionId: string) => Promise<Answer>) {
    const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true })).body
    const { sending } = await store.write(async (tx) => {
      await service.sessions.forget(tx, sessionId, clock.now())
      await tx.deleteFrom('sessions').where('id', '=', sessionId).execute()
      const sending = send(sessionId)
      assert.equal(await untilHeldUp(store, sending), 1)
      return { sending }
    })
    return sending
  }

  test('contact details that are sent while their session is deleted are refused: they stayed, and nobody could erase them', () =>
    withService(eachTriedOnce(open), async (app) => {
      const send = (sessionId: string) => app.api('POST', '/api/v1/pap/leads', { sessionId, email: 'maya@example.com' })
      assert.equal((await sentDuringDeletion(app, send)).status, 404)
      assert.deepEqual(await app.store.read.selectFrom('leads').select('email').execute(), [])
    }))

  test('a question of an agent that is answered while the session is deleted is not kept', () =>
    withService(eachTriedOnce(open), async (app) => {
      const ask = (sessionId: string) => app.api('POST', '/api/v1/pap/query', { sessionId, message: 'How long?', attendeeName: 'Maya' })
      assert.equal((await sentDuringDeletion(app, ask)).status, 404)
      assert.deepEqual(await app.store.read.selectFrom('pap_questions').select('question').execute(), [])
    }))

  test('a lead that is erased while its session is deleted is gone, and neither is tried again', () =>
    withService(eachTriedOnce(open), async ({ api, store }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true })).body
      const path = `/api/v1/agent/sessions/${sessionId}`
      const send = async (email: string) => (await api('POST', '/api/v1/pap/leads', { sessionId, email })).body.leadId
      const [leadId, otherId] = [await send('maya@example.com'), await send('ada@example.com')]
      const { deleting, erasing } = await store.write(async (tx) => {
        await tx.updateTable('domain_events').set({ scrubbed_at: null }).where('dedupe_key', '=', leadDedupeKey(otherId)).execute()
        const deleting = api('DELETE', path)
        assert.equal(await untilHeldUp(store, deleting), 1)
        const erasing = api('DELETE', `${path}/leads/${leadId}`)
        assert.equal(await untilHeldUp(store, deleting, erasing), 2)
        return { deleting, erasing }
      })
      assert.deepEqual([(await deleting).status, (await erasing).status], [200, 404])
    }))

  test('a session that is claimed while a talk of it is being written is moved, and neither is tried again', () =>
    withService(eachTriedOnce(open), async ({ api, store, accountId }) => {
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      const run = runRow({ session_id: sessionId, account_id: accountId, ended_at: 1 })
      await store.write((tx) => tx.insertInto('runs').values(run).execute())
      const { moving } = await store.write(async (tx) => {
        await tx.updateTable('runs').set({ last_seq: 1 }).where('id', '=', run.id).execute()
        const moving = store.write((other) => moveRows(other, accountId, 'acct-2'))
        moving.catch(() => undefined)
        assert.equal(await untilHeldUp(store, moving), 1)
        assert.equal((await holdSession(tx, sessionId))?.account_id, accountId)
        return { moving }
      })
      await moving
      assert.equal((await store.read.selectFrom('sessions').select('account_id').executeTakeFirst())?.account_id, 'acct-2')
    }))
})
