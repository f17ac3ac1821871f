// What is left of a person whose lead was erased: nothing that names them, in any table, while the record of the talk goes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCursors } from '../../server/platform/db/cursor.ts'
import { eventBodies } from '@rostrum/contract/events'
import { systemIds } from '@rostrum/base/clock'
import { invoke } from '../../server/platform/operation.ts'
import { scopes } from '../../server/platform/principal.ts'
import { deleteLead } from '../../server/leads/change-lead.ts'
import type { LeadsDeps } from '../../server/leads/deps.ts'
import { eraseName, eraseNameEverywhere } from '../../server/runs/runner/forget.ts'
import type { RoomCommand } from '@rostrum/contract/commands'
import type { Store } from '../../server/platform/db/store.ts'
import { type Attendee, joinTalk } from '../support/attendee.ts'
import { eventually, manualClock, settle } from '../support/clock.ts'
import { everyRow } from '../support/every-row.ts'
import { freeLimiter, liveRoom } from '../support/live.ts'
import { openService, type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const canaries = ['Quillfeather', 'Zanzibarova', 'quill.z@canary.example', '+351 912 555 777', 'Canary Works', 'call after five']
const person = { name: 'Quillfeather Zanzibarova' }
const details = { email: 'quill.z@canary.example', name: person.name, phone: '+351 912 555 777', company: 'Canary Works' }

const holdsCanary = (text: string) => canaries.some((canary) => text.includes(canary))

/** The rows that still name the person, each after its table. */
async function naming(store: Store): Promise<string[]> {
  const found: string[] = []
  for (const [table, rows] of [...(await everyRow(store))].toSorted(([a], [b]) => a.localeCompare(b)))
    for (const row of rows) if (holdsCanary(JSON.stringify(row))) found.push(`${table} ${JSON.stringify(row)}`)
  return found
}

const namingTables = async (store: Store) => [...new Set((await naming(store)).map((row) => row.slice(0, row.indexOf(' '))))]

const logOf = (store: Store, runId: string) =>
  store.read.selectFrom('run_events').selectAll().where('run_id', '=', runId).orderBy('seq').execute()

interface Talk {
  app: TestService
  sessionId: string
  slug: string
  path: string
}

async function published(app: TestService, mode: 'broadcast' | 'isolated'): Promise<Talk> {
  const slides = [{ textContent: 'Grid\n- A battery shifts the peak' }, { textContent: 'Cost\n- It costs 112 EUR' }]
  const cta = { ctaText: 'Book a call', ctaUrl: 'https://example.com/call' }
  const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', mode, isLive: true, slides, ...cta })).body
  return { app, sessionId, slug, path: `/api/v1/agent/sessions/${sessionId}` }
}

async function leaveLead(maya: Attendee): Promise<string> {
  const { status, body } = await maya.act('lead', { ...details, notes: 'call after five', consent: true })
  assert.equal(status, 200)
  return body.leadId
}

const erase = async ({ app, path }: Talk, leadId: string) => assert.equal((await app.api('DELETE', `${path}/leads/${leadId}`)).status, 200)

/** Whoever presents the run has been told. */
const obeyed = ({ store, clock }: TestService) =>
  eventually(async () => {
    await clock.advance(250)
    const waiting = await store.read.selectFrom('run_commands').select('id').where('handled_at', 'is', null).execute()
    return waiting.length === 0
  })

eachStore((_, open) => {
  for (const mode of ['broadcast', 'isolated'] as const)
    test(`after the erasure no row names the person, and the ${mode} talk that is over can be read as before`, () =>
      withService(open, async (app) => {
        const talk = await published(app, mode)
        const maya = await joinTalk(app, talk.slug, person)
        if (mode === 'isolated') await maya.act('control', { action: 'start' })
        await maya.act('questions', { text: 'What does it cost? Write to quill.z@canary.example' })
        await maya.until('closing')
        await maya.act('cta', { action: 'click' })
        const leadId = await leaveLead(maya)
        await maya.until('completed')
        await maya.act('leave')
        await maya.close()
        await app.clock.advance(120_000)
        assert.deepEqual(await namingTables(app.store), ['attendees', 'contact_offers', 'domain_events', 'leads', 'run_events'])
        const before = await logOf(app.store, maya.runId)
        const run = `${talk.path}/runs/${maya.runId}`
        const transcript = (await app.api('GET', `${run}/transcript`)).body
        const events = () => app.store.read.selectFrom('domain_events').select(['type', 'body']).orderBy('sequence').execute()
        const sent = await events()
        const figures = (await app.api('GET', `${talk.path}/analytics`)).body

        await erase(talk, leadId)
        assert.deepEqual(await naming(app.store), [])
        await obeyed(app)
        assert.deepEqual(await naming(app.store), [])

        const after = await logOf(app.store, maya.runId)
        assert.deepEqual(
          after.filter(({ type }) => type !== 'erased').map(({ data: _data, ...row }) => row),
          before.map(({ data: _data, ...row }) => row),
        )
        const nameless = (data: string) => data.replaceAll(/"name":(?:null|"[^"]*")/g, '"name":null')
        assert.deepEqual(
          after.filter(({ type }) => type !== 'erased').map(({ data }) => data),
          before.map(({ data }) => nameless(data)),
        )
        const entries = transcript.entries.map((entry: { speaker: string }) =>
          holdsCanary(entry.speaker) ? { ...entry, speaker: 'Attendee' } : entry,
        )
        assert.deepEqual((await app.api('GET', `${run}/transcript`)).body, { ...transcript, entries })
        assert.deepEqual((await app.api('GET', `${talk.path}/analytics`)).body, {
          ...figures,
          leads: 0,
          sources: [{ source: null, attendees: 1, leads: 0 }],
        })
        const [question] = (await app.api('GET', `${talk.path}/questions`)).body.questions
        assert.deepEqual(question.by, { attendeeId: maya.attendeeId, name: null })
        const kept = (await events()).filter(({ type }) => type !== 'lead.captured')
        assert.deepEqual(
          kept.map(({ body }) => body),
          sent.filter(({ type }) => type !== 'lead.captured').map(({ body }) => nameless(body)),
        )
        for (const { type, body } of kept)
          if (type in eventBodies) assert.ok(eventBodies[type as keyof typeof eventBodies].safeParse(JSON.parse(body)).success, body)
      }))

  test('while the talk goes on nothing that is written, sent or shown later names the person, nor does who comes back', () =>
    withService(open, async (app) => {
      const talk = await published(app, 'broadcast')
      const maya = await joinTalk(app, talk.slug, person)
      const ben = await joinTalk(app, talk.slug, { name: 'Ben Baker' })
      await maya.act('questions', { text: 'What does it cost?' })
      await settle()
      await erase(talk, await leaveLead(maya))
      await obeyed(app)
      assert.deepEqual(await naming(app.store), [])
      await ben.read()
      const told = ben.messages.length
      await maya.act('questions', { text: 'Who has built it?' })
      await maya.close()
      await app.clock.advance(31_000)
      const again = await app.stream(`/api/v1/runs/${maya.runId}/stream`, maya.token)
      const carla = await joinTalk(app, talk.slug, { name: 'Carla' })
      await carla.read()
      assert.ok(!holdsCanary(JSON.stringify(await again.read())))
      assert.ok(!holdsCanary(JSON.stringify(carla.messages)))
      assert.ok(carla.messages.some(({ event }) => event === 'snapshot'))
      await ben.until('completed')
      assert.ok(!holdsCanary(JSON.stringify(ben.messages.slice(told))))
      await app.clock.advance(120_000)
      assert.deepEqual(await naming(app.store), [])
      const log = await logOf(app.store, maya.runId)
      assert.deepEqual(
        log.map(({ seq }) => seq),
        log.map((_row, at) => at + 1),
      )
      assert.equal(log.filter(({ type }) => type === 'erased').length, 1)
      const joined = await app.store.read.selectFrom('domain_events').select('body').where('type', '=', 'attendee.joined').execute()
      assert.ok(joined.some(({ body }) => body.includes('Ben Baker')))
      await again.close()
      await carla.close()
      await ben.close()
    }))

  test('what the presenter wrote after the erasure, before it heard of it, goes when it does, and a name that comes late is not taken', async () => {
    const { store } = await open()
    const clock = manualClock()
    const room = await liveRoom({ store, clock, session: { mode: 'broadcast' } })
    const maya = await room.join(person)
    const page = await maya.stream()
    await eventually(async () => page.of('beat').length > 0)
    const cursor = page.messages.find(({ id }) => id !== undefined)?.id
    await maya.post('ask_question', { text: 'What does it cost?' })
    await settle()
    assert.deepEqual(await namingTables(store), ['attendees', 'domain_events', 'run_events'])
    const { runId, attendeeId } = maya
    const erasure: RoomCommand = { kind: 'erase', id: `erase-${attendeeId}`, attendeeId }
    assert.equal((await room.live.runner.submit(runId, erasure)).ok, true)
    assert.deepEqual(await naming(store), [])
    const late = { attendeeId, name: person.name }
    const asked = { text: 'Who has built it?', interrupt: false, isPrivate: false, slideIndex: null }
    await room.live.runner.submit(runId, { kind: 'questions', id: crypto.randomUUID(), ...late, ...asked })
    await room.live.runner.submit(runId, { kind: 'leave', id: crypto.randomUUID(), attendeeId })
    await room.live.runner.submit(runId, { kind: 'visit', id: crypto.randomUUID(), ...late, attendeeKind: 'human' })
    assert.deepEqual(await naming(store), [])
    const again = await maya.stream(cursor)
    await eventually(async () => again.of('question').length > 1)
    assert.ok(!holdsCanary(JSON.stringify(again.messages)))
    assert.deepEqual(room.faults, [])
    await room.close()
  })

  test('the same details from a second talk: the name goes from both', () =>
    withService(open, async (app) => {
      const talk = await published(app, 'isolated')
      const leadIds = new Set<string>()
      for (let visit = 0; visit < 2; visit++) {
        const maya = await joinTalk(app, talk.slug, person)
        leadIds.add(await leaveLead(maya))
        await maya.act('leave')
        await maya.close()
      }
      const [leadId = ''] = leadIds
      assert.equal(leadIds.size, 2)
      await erase(talk, leadId)
      await obeyed(app)
      assert.deepEqual(await naming(app.store), [])
    }))

  test('once more changes nothing', () =>
    withService(open, async (app) => {
      const talk = await published(app, 'broadcast')
      const maya = await joinTalk(app, talk.slug, person)
      await erase(talk, await leaveLead(maya))
      await obeyed(app)
      const rows = async () => [await logOf(app.store, maya.runId), await app.store.read.selectFrom('domain_events').selectAll().execute()]
      const before = await rows()
      await app.store.write((tx) => eraseName(tx, maya))
      assert.deepEqual(await rows(), before)
      await maya.close()
    }))

  test('an erasure that fails half-way leaves everything as it was', () =>
    withService(open, async (app) => {
      const talk = await published(app, 'broadcast')
      const maya = await joinTalk(app, talk.slug, person)
      const leadId = await leaveLead(maya)
      await settle()
      const rows = async () => ({ naming: await naming(app.store), commands: (await everyRow(app.store)).get('run_commands') })
      const before = await rows()
      const { store, clock, baseUrl } = app
      const eraseThenDie: LeadsDeps['eraseName'] = async (...erasure) => {
        await eraseNameEverywhere(...erasure)
        throw new Error('killed')
      }
      const rest = {
        leadsMax: null,
        burstCame: async () => {},
        addressesOf: async () => ({ addresses: [], seats: [] }),
        leadCame: async () => {},
        eraseAddress: async () => {},
      }
      const deps = { store, clock, ids: systemIds, cursors: createCursors('secret'), baseUrl, eraseName: eraseThenDie, ...rest }
      const { accountId } = app
      const principal = { kind: 'api_key' as const, accountId, credentialId: 'key', scopes, label: 'key' }
      const call = { principal, now: clock.now(), requestId: 'request', address: '127.0.0.1', signal: new AbortController().signal }
      const asked = invoke(deleteLead.bind(deps), { call, read: () => ({ sessionId: talk.sessionId, leadId }), limiter: freeLimiter })
      await assert.rejects(asked, /killed/)
      assert.deepEqual(await rows(), before)
      await maya.close()
    }))
})

eachStore((dialect, open) => {
  test('an erasure by a process that does not present the talk reaches the one that does', { skip: dialect === 'sqlite' }, async () => {
    const { store, another } = await open()
    const app = await openService({ store, isAlone: false })
    const other = await openService({ store: await another(), clock: app.clock, isAlone: false })
    const talk = await published(app, 'broadcast')
    const ben = await joinTalk(app, talk.slug, { name: 'Ben' })
    await ben.read()
    // What she does is written down for the first process, with her name.
    const maya = await joinTalk(other, talk.slug, person)
    await maya.act('questions', { text: 'What does it cost?' })
    const leadId = await leaveLead(maya)
    await obeyed(app)
    assert.deepEqual(await namingTables(store), ['attendees', 'domain_events', 'leads', 'run_events'])
    await erase({ ...talk, app: { ...other, api: (method, path, body) => other.api(method, path, body, app.key) } }, leadId)
    await obeyed(app)
    await maya.close()
    await app.clock.advance(31_000)
    await eventually(async () => {
      await app.clock.advance(1_000)
      return (await logOf(store, maya.runId)).some(({ type, data }) => type === 'visit' && data.includes('"closed"'))
    })
    assert.deepEqual(await naming(store), [])
    const carla = await joinTalk(other, talk.slug, {})
    await carla.read()
    assert.ok(!holdsCanary(JSON.stringify(carla.messages)))
    await carla.close()
    await ben.close()
    await other.close()
    await app.close()
  })
})
