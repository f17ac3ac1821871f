// Webhooks in the form of a chat or a CRM: what is posted, checked against the documented shape and bounds of each service, with the same
// retries, guard and log as the signed event; examples as tests; an endpoint that is about to be disabled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { eventExample } from '@rostrum/contract/event-examples'
import { eventBodies, type EventType, eventTypes, type WebhookFormat } from '@rostrum/contract/events'
import { scrubEvent } from '../../server/platform/db/deliveries.ts'
import { refusalWords } from '../../server/platform/egress/destination.ts'
import { inFormat } from '../../server/webhooks/formats.ts'
import { requireDestination } from '../../server/webhooks/subscription.ts'
import { eachStore } from '../support/stores.ts'
import type { Rig } from '../webhooks/rig.ts'
import { leadEvent, refused, rigOn, session } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'
import { verifyIndependently } from '../webhooks/verify.ts'

type Chat = 'slack' | 'teams' | 'discord'
const chats: readonly Chat[] = ['slack', 'teams', 'discord']

const plain = z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(150), emoji: z.boolean().optional() })
const mrkdwn = (max: number) => z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(max), verbatim: z.boolean() })
const slackMessage = z.strictObject({
  text: z.string().min(1).max(40_000),
  unfurl_links: z.boolean(),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: plain }),
        z.strictObject({
          type: z.literal('section'),
          text: mrkdwn(3_000).optional(),
          fields: z.array(mrkdwn(2_000)).min(1).max(10).optional(),
        }),
      ]),
    )
    .max(50),
})

const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  size: z.enum(['Medium']).optional(),
  weight: z.enum(['Bolder']).optional(),
})
const teamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.4'),
        fallbackText: z.string(),
        body: z.array(
          z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1), spacing: z.enum(['Small']).optional() }),
        ),
        actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() })).optional(),
      }),
    }),
  ]),
})

const discordMessage = z.strictObject({
  allowed_mentions: z.strictObject({ parse: z.array(z.never()) }),
  embeds: z
    .array(
      z.strictObject({
        title: z.string().min(1).max(256),
        timestamp: z.iso.datetime(),
        color: z.int().min(0).max(0xff_ff_ff),
        fields: z
          .array(z.strictObject({ name: z.string().min(1).max(256), value: z.string().min(1).max(1_024), inline: z.boolean() }))
          .max(25),
      }),
    )
    .max(10),
})

/** Throws where the service would refuse it. */
function accept(format: Chat, body: string): void {
  const json: unknown = JSON.parse(body)
  if (format === 'slack') slackMessage.parse(json)
  if (format === 'teams') {
    teamsMessage.parse(json)
    assert.ok(Buffer.byteLength(body) < 28_000)
  }
  if (format === 'discord') {
    const { embeds } = discordMessage.parse(json)
    const all = embeds.flatMap(({ title, fields }) => [title, ...fields.flatMap(({ name, value }) => [name, value])])
    assert.ok(all.join('').length <= 6_000)
  }
}

const formed = (format: Exclude<WebhookFormat, 'standard'>, event: unknown) =>
  inFormat(format, JSON.stringify(event), 'https://talks.example.com')

const consent = { text: 'I agree.', version: 1, at: '2026-11-20T12:00:00.000Z' }

/** What is captured of somebody who agreed; `change` says who they are. */
function lead(n: number, change: Record<string, unknown> = {}) {
  const event = leadEvent(`lead-${n}`)
  const before = event.data?.['lead'] as Record<string, unknown>
  return { ...event, data: { ...event.data, consent, lead: { ...before, ...change } } }
}

for (const format of chats) {
  test(`every event becomes a message that ${format} takes, in words`, () => {
    for (const type of [...eventTypes, 'webhook.test'] as const) {
      const body = formed(format, eventExample(type))?.body ?? ''
      accept(format, body)
      assert.ok(!body.includes('undefined') && !body.includes('[object'), body)
    }
    assert.match(formed(format, eventExample('lead.captured'))?.body ?? '', /New lead: Maya Ito.*Example Ltd/)
    assert.match(formed(format, eventExample('question.unanswered'))?.body ?? '', /How long is the warranty\?/)
  })

  test(`${format}: the longest of everything stays within its bounds, and markup of strangers is text`, () => {
    const example = eventExample('lead.captured')
    const evil = '<!channel> <@U1> @everyone [prize](https://evil.example) **now** `x` | > ![i](x) 😀'
    const long = evil.repeat(60)
    const { lead: given, ...data } = example.data
    const leadOf = { ...given, name: long, email: `${'a'.repeat(240)}@example.com`, company: long, phone: long, notes: long }
    const body = formed(format, { ...example, data: { ...data, lead: leadOf, session: { ...data.session, title: long } } })?.body ?? ''
    accept(format, body)
    assert.ok(body.isWellFormed())
    if (format === 'slack') assert.ok(!/<[!@]/.test(body))
    if (format === 'discord') assert.ok(!/(?<!\\)\[prize\](?!\\)/.test(JSON.parse(body).embeds[0].title))
  })
}

test('an address that somebody wrote leads there from a chat, whatever signs it holds', () => {
  const { lead, ...data } = eventExample('lead.captured').data
  const notes = 'Send me this: https://talks.example/recap/a_b_c'
  const body = formed('discord', { ...eventExample('lead.captured'), data: { ...data, lead: { ...lead, notes } } })?.body ?? ''
  assert.ok(JSON.parse(body).embeds[0].fields.some(({ value }: { value: string }) => value === notes))
})

test('an event that holds less than today still becomes a message', () => {
  for (const format of chats)
    accept(format, formed(format, { type: 'lead.captured', timestamp: '2026-11-20T12:00:00.000Z', data: {} })?.body ?? '')
})

test('every example is a body of its event, and bodies of tests are as well', () => {
  for (const type of eventTypes) {
    const example = eventExample(type)
    assert.deepEqual(eventBodies[type].parse({ ...example, data: { ...example.data, test: true } }), example)
  }
})

test('a server on localhost says why it refuses a destination, and what allows it; any other says one sentence', async () => {
  const vet = async () => ({ ok: false, reason: 'blocked_destination', detail: 'plain http' }) as const
  const words = (baseUrl: string) =>
    requireDestination({ vet, baseUrl }, 'http://localhost:3000/hook').then(
      () => '',
      (error: unknown) => String(error),
    )
  assert.match(await words('http://localhost:4400'), /Refused for: plain http\..*ROSTRUM_EGRESS_ALLOW.*127\.0\.0\.0\/8/)
  assert.equal(await words('https://talks.example.com'), `ServiceError: ${refusalWords}`)
})

eachStore((_name, open) => {
  const withRig = rigOn(open)
  const retryAfter = (code: number, seconds: string) => (response: Parameters<ReturnType<typeof status>>[0]) =>
    void response.writeHead(code, { 'retry-after': seconds }).end()
  const hubspot = (rig: Rig, body: Record<string, unknown> = {}) =>
    rig.subscribe({
      url: rig.sink.url,
      event_types: ['lead.captured', 'lead.updated'],
      format: 'hubspot',
      token: 'pat-na1-secret',
      ...body,
    })

  for (const format of chats)
    test(`${format}: posted and signed, tried again in the same words, shown in the log as it was posted`, () =>
      withRig(async (rig) => {
        const { id, secret, ...rest } = await rig.subscribe({ format })
        assert.equal(rest['format'], format)
        rig.sink.answer(status(500))
        await rig.event(1)
        await rig.sink.until(1)
        rig.sink.answer(status(200, 'ok'))
        await rig.advance(120_000)
        const [first, second] = rig.sink.received
        assert.ok(first && second)
        accept(format, first.body)
        assert.equal(second.body, first.body)
        verifyIndependently(secret, first)
        verifyIndependently(secret, second)
        assert.equal(first.path, '/hook')
        assert.match(first.body, /Ada has joined/)
        const { id: deliveryId } = await rig.delivery()
        const shown = await rig.call('GET', `/api/v1/webhooks/deliveries/${deliveryId}`)
        assert.deepEqual(shown.body['posted'], JSON.parse(first.body))
        assert.equal((shown.body['payload'] as { type: string }).type, 'attendee.joined')
        // Changed to the signed event, it is that from then on.
        assert.equal((await rig.call('PATCH', `/api/v1/webhooks/${id}`, { format: 'standard' })).body['format'], 'standard')
        await rig.event(2)
        await rig.sink.until(3)
        assert.equal(JSON.parse(rig.sink.received[2]?.body ?? '').type, 'attendee.joined')
      }))

  test('a chat that asks for more time than our delay gets it; the signed event keeps to its times', () =>
    withRig(async (rig) => {
      await rig.subscribe({ format: 'slack', url: `${rig.sink.url}/slack` })
      await rig.subscribe({ url: `${rig.sink.url}/signed` })
      rig.sink.answer(retryAfter(429, '300'))
      await rig.event(1)
      await rig.sink.until(2)
      rig.sink.answer(status(200))
      await rig.advance(120_000)
      assert.deepEqual(
        rig.sink.received.slice(2).map(({ path }) => path),
        ['/signed'],
      )
      await rig.advance(179_999)
      assert.equal(rig.sink.received.length, 3)
      await rig.advance(1)
      assert.equal(rig.sink.received[3]?.path, '/slack')
    }))

  test('HubSpot: a lead becomes a contact by its e-mail, with the token and nothing empty', () =>
    withRig(async (rig) => {
      const made = await hubspot(rig)
      assert.equal(JSON.stringify(made).includes('pat-na1'), false)
      const row = await rig.store.read.selectFrom('webhook_subscriptions').selectAll().executeTakeFirstOrThrow()
      assert.ok(!Buffer.from(row.token ?? []).includes('pat-na1'), 'sealed')
      await rig.event(1, lead(1, { name: 'Ada King Lovelace', company: 'Engines', phone: '+44 20', notes: 'Call me' }))
      await rig.sink.until(1)
      const [got] = rig.sink.received
      assert.equal(got?.path, '/crm/objects/2026-03/contacts/batch/upsert')
      assert.equal(got?.headers['authorization'], 'Bearer pat-na1-secret')
      const properties = { firstname: 'Ada King', lastname: 'Lovelace', phone: '+44 20', company: 'Engines', message: 'Call me' }
      assert.deepEqual(JSON.parse(got?.body ?? ''), {
        inputs: [{ id: 'ada@canary.example', idProperty: 'email', properties: { email: 'ada@canary.example', ...properties } }],
      })
      await rig.event(2, lead(2, { name: 'Ada' }))
      await rig.sink.until(2)
      assert.deepEqual(JSON.parse(rig.sink.received[1]?.body ?? '').inputs[0].properties, { email: 'ada@canary.example', firstname: 'Ada' })
    }))

  test('HubSpot: without consent, of somebody else, without details or erased, nothing leaves', () =>
    withRig(async (rig) => {
      await hubspot(rig)
      await rig.event(1, leadEvent('no-consent'))
      await rig.event(2, lead(2, { repeatOf: 'lead-1' }))
      await rig.event(3, { ...lead(3), data: { ...lead(3).data, lead: null, consent: null, trigger: 'high_intent' } })
      await rig.quiet()
      assert.equal(rig.sink.received.length, 0)
      assert.deepEqual(
        (await rig.deliveries()).map((one) => one.status),
        ['canceled', 'canceled', 'canceled'],
      )
      rig.sink.answer(status(503))
      await rig.event(4, lead(4))
      await rig.sink.until(1)
      await rig.webhooks.idle()
      await rig.store.write((tx) => scrubEvent(tx, 'lead:lead-4', rig.clock.now()))
      await rig.advance(3_600_000)
      assert.equal(rig.sink.received.length, 1)
    }))

  test('HubSpot: a refused token is said, a contact that was not taken is tried again, and so is one that came too soon', () =>
    withRig(async (rig) => {
      const { id } = await hubspot(rig)
      rig.sink.answer(status(401, '{"message":"Authentication credentials not found"}'))
      await rig.event(1, lead(1))
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const refusedToken = await rig.delivery()
      assert.deepEqual(
        [refusedToken.last_reason, refusedToken.last_http_status, refusedToken.status],
        ['token_refused', 401, 'retry_scheduled'],
      )
      // A new token goes with the next attempt.
      assert.equal((await rig.call('PATCH', `/api/v1/webhooks/${id}`, { token: 'pat-na1-new' })).status, 200)
      rig.sink.answer(status(207, '{"status":"COMPLETE","numErrors":1}'))
      await rig.advance(120_000)
      assert.equal(rig.sink.received[1]?.headers['authorization'], 'Bearer pat-na1-new')
      assert.equal((await rig.delivery()).status, 'retry_scheduled')
      rig.sink.answer(status(200, '{"status":"COMPLETE"}'))
      await rig.advance(1_800_000)
      assert.equal((await rig.delivery()).status, 'succeeded')
    }))

  test('HubSpot: a test asks for somebody unknown and writes nothing, whatever is tested and however often', () =>
    withRig(async (rig) => {
      const { id } = await hubspot(rig)
      rig.sink.answer(status(207, '{}'))
      for (const body of [{}, { event_type: 'lead.captured' }]) {
        assert.equal((await rig.call('POST', `/api/v1/webhooks/${id}/test`, body)).status, 202)
        await rig.quiet()
      }
      const rows = await rig.deliveries()
      assert.deepEqual(
        rows.map((row) => row.status),
        ['succeeded', 'succeeded'],
      )
      for (const { id: deliveryId } of rows) await rig.call('POST', `/api/v1/webhooks/deliveries/${deliveryId}/redeliver`)
      await rig.sink.until(4)
      await rig.webhooks.idle()
      assert.deepEqual([...new Set(rig.sink.received.map(({ path }) => path))], ['/crm/objects/2026-03/contacts/batch/read'])
    }))

  test('what HubSpot is not for is refused, and where it points', () =>
    withRig(async (rig) => {
      const create = (body: object) =>
        rig.call('POST', '/api/v1/webhooks', { url: rig.sink.url, event_types: ['lead.captured'], format: 'hubspot', ...body })
      refused(await create({}), 400, 'invalid_request', '#/token')
      refused(await create({ token: 'x', event_types: ['lead.captured', 'cta.clicked'] }), 400, 'invalid_request', '#/event_types')
      refused(await create({ token: 'x', format: 'slack' }), 400, 'invalid_request', '#/token')
      refused(await create({ token: 'x', format: 'pager' }), 400, 'invalid_request', '#/format')
      const { id } = await hubspot(rig)
      refused(await rig.call('PATCH', `/api/v1/webhooks/${id}`, { event_types: ['cta.clicked'] }), 400, 'invalid_request', '#/event_types')
      // With its token gone, it needs one to come back.
      assert.equal((await rig.call('PATCH', `/api/v1/webhooks/${id}`, { format: 'slack' })).status, 200)
      refused(await rig.call('PATCH', `/api/v1/webhooks/${id}`, { format: 'hubspot' }), 400, 'invalid_request', '#/token')
    }))

  test('the example of every event can be sent: signed, marked, once, also of events that were not asked for', () =>
    withRig(async (rig) => {
      const { id, secret } = await rig.subscribe({ event_types: ['session.created'] })
      const types: readonly EventType[] = ['lead.captured', 'deck.failed', 'endpoint.failing', 'question.unanswered']
      for (const [at, type] of types.entries()) {
        const sent = await rig.call('POST', `/api/v1/webhooks/${id}/test`, { event_type: type })
        assert.equal(sent.status, 202)
        await rig.sink.until(at + 1)
        await rig.webhooks.idle()
        const got = rig.sink.received[at]
        assert.ok(got)
        verifyIndependently(secret, got)
        const body = JSON.parse(got.body) as { id: string; timestamp: string }
        const example = eventExample(type)
        assert.deepEqual(body, { ...example, id: body.id, timestamp: body.timestamp, data: { ...example.data, test: true } })
        assert.equal(got.headers['webhook-id'], body.id)
      }
      rig.sink.answer(status(500))
      await rig.call('POST', `/api/v1/webhooks/${id}/test`, { event_type: 'deck.ready' })
      await rig.sink.until(types.length + 1)
      await rig.advance(3_600_000)
      assert.equal(rig.sink.received.length, types.length + 1)
      refused(await rig.call('POST', `/api/v1/webhooks/${id}/test`, { event_type: 'webhook.test' }), 400, 'invalid_request', '#/event_type')
      assert.equal((await rig.store.read.selectFrom('domain_events').select('id').execute()).length, 0)
    }))

  test('a webhook that loses five deliveries in a row is told of to the others that asked, once, and again when it is disabled', () =>
    rigOn(open, { settings: { webhookRetryMs: [], webhookDisableAfterMs: 60_000 } })(async (rig) => {
      const failing = await rig.subscribe({ url: `${rig.sink.url}/dead` })
      await rig.subscribe({ url: `${rig.sink.url}/seven`, event_types: ['session.created'] })
      await rig.subscribe({ url: `${rig.sink.url}/told`, event_types: ['endpoint.failing'] })
      rig.sink.answer((response, { path }) => status(path === '/dead' ? 500 : 204)(response))
      const told = () =>
        rig.sink.received
          .filter(({ path }) => path === '/told')
          .map(({ body }) => eventBodies['endpoint.failing'].parse(JSON.parse(body)).data)
      for (let n = 1; n <= 4; n++) {
        await rig.event(n)
        await rig.quiet()
      }
      assert.equal(told().length, 0)
      for (let n = 5; n <= 6; n++) {
        await rig.event(n)
        await rig.quiet()
        await rig.quiet()
      }
      const [first, ...others] = told()
      assert.deepEqual(others, [])
      assert.equal(first?.session.id, session.id)
      assert.deepEqual(first?.endpoint, { id: failing.id, host: new URL(rig.sink.url).host, status: 'failing' })
      assert.deepEqual([first.deadLetters, Date.parse(first.disabledAt) - Date.parse(first.failingSince)], [5, 60_000])
      await rig.advance(60_000)
      await rig.event(7)
      await rig.quiet()
      await rig.quiet()
      assert.deepEqual(
        told().map(({ endpoint }) => endpoint.status),
        ['failing', 'disabled'],
      )
      assert.equal((await rig.call('GET', `/api/v1/webhooks/${failing.id}`)).body['disabled_reason'], 'failures')
      assert.equal(rig.sink.received.filter(({ path }) => path === '/seven').length, 0)
    }))
})
