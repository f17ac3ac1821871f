// A whole talk over the public API alone: every event type arrives, an independent verifier accepts every delivery, sequences
// have no gap, and every body meets the schema that is published for it (Spec 6.1 to 6.3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { eventBodies, type EventType } from '@rostrum/contract/events'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import { buildPdf } from '../support/documents.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'
import { startSink, status } from './sink.ts'
import { verifyIndependently } from './verify.ts'

const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' },
    { textContent: 'Cost\n- It costs 112 EUR per kWh' },
  ],
  ctaText: 'Book a call',
  ctaUrl: 'https://example.com/book',
}

interface Body {
  type: string
  id: string
  data: { sequence: number; session: { id: string; title: string }; endReason?: string; lead?: { email: string } | null }
}

eachStore((_, open) => {
  test('a talk from creation to closing remarks is told in full, and an independent verifier accepts all of it', () =>
    withService(
      open,
      async (app) => {
        const sink = await startSink(app.clock)
        try {
          const { body: published } = await app.api('GET', '/api/v1/webhooks/event-types')
          const types: { name: string; schema: object; isOptIn?: boolean }[] = published.event_types
          const names = types.filter(({ isOptIn }) => isOptIn !== true).map(({ name }) => name)
          const { body: hook, ...answer } = await app.api('POST', '/api/v1/webhooks', { url: `${sink.url}/hook`, event_types: names })
          assert.equal(answer.status, 201)

          const { body: made } = await app.api('POST', '/api/v1/agent/sessions', talk)
          const maya = await joinTalk(app, made.slug, { name: 'Maya' })
          await maya.act('control', { action: 'start' })
          await app.clock.advance(500)
          await maya.act('questions', { text: 'What does it cost per kWh?' })
          await maya.answered(1)
          await maya.until('closing')
          await app.clock.advance(500)
          assert.equal((await maya.act('cta', { action: 'click' })).status, 200)
          assert.equal((await maya.act('lead', { email: 'maya@example.com', consent: true })).status, 200)
          await maya.act('control', { action: 'finish' })
          await maya.until('completed')
          const leo = await joinTalk(app, made.slug, { name: 'Leo' })
          await leo.act('control', { action: 'start' })
          await leo.hear()
          await leo.act('leave')
          await leo.close()
          await maya.close()

          const arrived = () => sink.received.map(({ body }) => JSON.parse(body) as Body)
          const waiting = async () => (await app.api('GET', `/api/v1/webhooks/${hook.id}/deliveries?limit=100`)).body.deliveries
          await eventually(async () => {
            await app.clock.advance(1_000)
            const left = arrived().filter(({ type }) => type === 'attendee.left').length
            const statuses: { status: string }[] = await waiting()
            return left === 2 && statuses.every((each) => each.status === 'succeeded') && statuses.length === sink.received.length
          })

          for (const received of sink.received) verifyIndependently(hook.secret, received)
          const bodies = arrived()
          assert.deepEqual([...new Set(bodies.map(({ type }) => type))].toSorted(), names.toSorted())
          assert.deepEqual(
            bodies.map(({ data }) => data.sequence).toSorted((a, b) => a - b),
            bodies.map((_each, at) => at + 1),
          )
          assert.deepEqual(
            sink.received.map(({ headers }) => headers['webhook-id']),
            bodies.map(({ id }) => id),
          )
          const ajv = new Ajv2020({ strict: false, validateFormats: false })
          const valid = new Map(types.map(({ name, schema }) => [name, ajv.compile(schema)]))
          for (const body of bodies) {
            const validate = valid.get(body.type)
            assert.ok(validate?.(body), `${body.type}: ${JSON.stringify(validate?.errors)}`)
            assert.deepEqual([body.data.session.id, body.data.session.title], [made.sessionId, talk.title])
          }
          assert.equal(bodies.find(({ type }) => type === 'session.completed')?.data.endReason, 'finished')
          assert.ok(bodies.some(({ data }) => data.lead?.email === 'maya@example.com'))
        } finally {
          await sink.close()
        }
      },
      { ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8' },
    ))

  test('what is told to who names it comes from its cause: a deck that is ready or failed, a draft published, a question unanswered, a lead changed', () =>
    withService(
      open,
      async (app) => {
        const sink = await startSink(app.clock)
        try {
          sink.answer((response, { path }) => status(path === '/gone.pdf' ? 404 : 204)(response))
          const event_types = ['deck.ready', 'deck.failed', 'session.published', 'question.unanswered', 'lead.updated']
          const { body: hook } = await app.api('POST', '/api/v1/webhooks', { url: `${sink.url}/hook`, event_types })
          const { body: made } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', pdfUrl: `${sink.url}/gone.pdf` })
          const path = `/api/v1/agent/sessions/${made.sessionId}`
          await app.service.jobs.idle()
          const headers = { Authorization: `Bearer ${app.key}`, 'Content-Type': 'application/pdf' }
          const body = buildPdf([{ lines: ['Cost', 'It costs 112 EUR per kWh.'] }])
          assert.equal((await app.request(`${path}/deck`, { method: 'PUT', headers, body })).status, 202)
          await app.service.jobs.idle()
          assert.equal((await app.api('POST', `${path}/publish`)).status, 200)
          const maya = await joinTalk(app, made.slug, { name: 'Maya' })
          await maya.act('control', { action: 'start' })
          await app.clock.advance(500)
          await maya.act('questions', { text: 'Who painted the Mona Lisa?' })
          await maya.answered(1)
          await maya.act('lead', { email: 'maya@example.com', consent: true })
          await maya.act('lead', { email: 'maya@example.com', company: 'Acme', consent: true })
          await eventually(async () => {
            await app.clock.advance(1_000)
            return sink.received.filter((each) => each.path === '/hook').length === event_types.length
          })
          const arrived = sink.received.filter((each) => each.path === '/hook')
          for (const received of arrived) verifyIndependently(hook.secret, received)
          const told = arrived.map((received) => JSON.parse(received.body))
          for (const each of told) eventBodies[each.type as EventType].parse(each)
          const by = Object.fromEntries(told.map(({ type, data }) => [type, data]))
          assert.deepEqual(Object.keys(by).toSorted(), event_types.toSorted())
          assert.match(by['deck.failed'].reason, /404/)
          assert.deepEqual([by['deck.failed'].deck.version, by['deck.ready'].deck.slidesCount], [1, 1])
          assert.equal(by['session.published'].session.id, made.sessionId)
          assert.equal(by['question.unanswered'].question.text, 'Who painted the Mona Lisa?')
          assert.deepEqual([by['lead.updated'].changed, by['lead.updated'].lead.company], [['company'], 'Acme'])
          await maya.close()
        } finally {
          await sink.close()
        }
      },
      { ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8' },
    ))
})
