// Leads that come in a burst are kept and marked as unproven wherever a host meets them: list, CSV, webhooks, chats, a CRM, a mail. The host
// is told, and takes the mark off. On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePerson } from '../auth/two-accounts.ts'
import { inFormat } from '../../server/webhooks/formats.ts'
import { eventExample } from '@rostrum/contract/event-examples'
import { minute, type Talk, withTalk } from '../registrations/rig.ts'
import { eachStore } from '../support/stores.ts'

const hour = 60 * minute
const env = { ROSTRUM_TALK_LEADS: '3' }

eachStore((_, open) => {
  const guarantee = (name: string, fn: (talk: Talk) => Promise<void>) => test(name, () => withTalk(open, fn, { env }))
  const lead = (talk: Talk, email: string, token: string) =>
    talk.api('POST', '/api/v1/pap/leads', { sessionId: talk.sessionId, email, name: email.split('@')[0] }, token)
  const list = async (talk: Talk) => (await talk.api('GET', `/api/v1/agent/sessions/${talk.sessionId}/leads`)).body
  const marks = async (talk: Talk) =>
    Object.fromEntries(
      (await list(talk)).leads.map(({ name, unproven }: { name: string; unproven?: boolean }) => [name, unproven === true]),
    )
  const events = async (talk: Talk, type: string) =>
    (await talk.store.read.selectFrom('domain_events').select('body').where('type', '=', type).orderBy('id').execute()).map(
      ({ body }) => (JSON.parse(body) as { data: unknown }).data as { lead: { name: string; unproven?: boolean }; changed?: string[] },
    )

  guarantee('a burst of leads is kept whole and marked as unproven in list and CSV, those before it in the hour as well', async (talk) => {
    const stranger = await talk.newKey()
    await lead(talk, 'early@x.example', stranger)
    await talk.pass(2 * hour)
    for (const who of ['a', 'b', 'c']) await lead(talk, `${who}@x.example`, stranger)
    assert.deepEqual([(await list(talk)).burst, Object.values(await marks(talk)).some(Boolean)], [undefined, false])
    for (const who of ['d', 'e']) assert.equal((await lead(talk, `${who}@x.example`, stranger)).status, 200)
    assert.deepEqual(await marks(talk), { early: false, a: true, b: true, c: true, d: true, e: true })
    const { burst } = await list(talk)
    assert.deepEqual([burst.leads, /marked as unproven.*take the mark off/.test(burst.detail)], [5, true])
    const headers = { Authorization: `Bearer ${talk.key}`, Accept: 'text/csv' }
    const { text } = await talk.request(`/api/v1/agent/sessions/${talk.sessionId}/leads`, { headers })
    assert.match(text, /,"unproven"\r\n/)
    assert.deepEqual([text.match(/"true"\r\n/g)?.length, /"early".*,""\r\n/.test(text)], [5, true])
    await talk.pass(2 * hour)
    await lead(talk, 'late@x.example', stranger)
    assert.equal((await marks(talk))['late'], false)
  })

  guarantee('who is told of leads hears of the mark: with a new lead, and of those that got it later', async (talk) => {
    const stranger = await talk.newKey()
    for (const who of ['a', 'b', 'c', 'd']) await lead(talk, `${who}@x.example`, stranger)
    const fresh = await events(talk, 'lead.captured')
    assert.deepEqual(
      new Set(fresh.map(({ lead: { name, unproven } }) => `${name} ${unproven}`)),
      new Set(['a undefined', 'b undefined', 'c undefined', 'd true']),
    )
    const later = await events(talk, 'lead.updated')
    assert.deepEqual(
      new Set(later.map(({ lead: { name, unproven }, changed }) => `${name} ${unproven} ${changed?.join()}`)),
      new Set(['a', 'b', 'c'].map((name) => `${name} true unproven`)),
    )
  })

  guarantee('a host is told of a burst once, in words, and the mail of leads says which are unproven', async (talk) => {
    await makePerson(talk, talk.accountId, 'owner@host.example')
    const stranger = await talk.newKey()
    await talk.pass(hour)
    for (const who of ['a', 'b', 'c', 'd', 'e']) await lead(talk, `${who}@x.example`, stranger)
    const mails = await talk.pass(6 * minute)
    const told = mails.filter(({ headers }) => headers.get('subject') === 'Many leads came at once: Grid storage')
    // On a busy machine the mail server may be asked twice: it is one mail, by its id.
    assert.equal(new Set(told.map(({ headers }) => headers.get('message-id'))).size, 1)
    assert.match(told[0]?.text ?? '', /All are kept and marked as unproven/)
    const leads = mails.find(({ headers }) => headers.get('subject') === '5 leads: Grid storage')
    assert.match(leads?.text ?? '', /a, a@x\.example, unproven/)
  })

  guarantee('what a host gives by a program of theirs is believed and counts towards no burst', async (talk) => {
    for (const who of ['a', 'b', 'c', 'd', 'e']) await lead(talk, `${who}@x.example`, talk.key)
    assert.ok(Object.values(await marks(talk)).every((unproven) => !unproven))
  })

  guarantee('who came by the link that was mailed to their address is believed in a burst too', async (talk) => {
    await talk.change({ entry: 'confirmed', mode: 'isolated', startPolicy: null, startsAt: null, registration: null })
    const enter = async (email: string) => {
      await talk.register(email)
      const [mail] = await talk.pass(0)
      const key = /\/join\/(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
      return (await talk.api('POST', `/api/v1/rooms/${key}/attendees`, {}, null)).body
    }
    const [maya, other] = [await enter('maya@x.example'), await enter('tom@x.example')]
    const leave = ({ runId, attendeeToken }: { runId: string; attendeeToken: string }, email: string) =>
      talk.api(
        'POST',
        `/api/v1/runs/${runId}/lead`,
        { id: crypto.randomUUID(), email, name: email.split('@')[0], consent: true },
        attendeeToken,
      )
    for (const who of ['a', 'b', 'c', 'd']) assert.equal((await leave(other, `${who}@x.example`)).status, 200)
    assert.equal((await leave(maya, 'maya@x.example')).status, 200)
    assert.deepEqual(await marks(talk), { a: true, b: true, c: true, d: true, maya: false })
  })

  guarantee('a host takes the mark off, and who was told of it hears so', async (talk) => {
    const stranger = await talk.newKey()
    for (const who of ['a', 'b', 'c', 'd']) await lead(talk, `${who}@x.example`, stranger)
    const { leads } = await list(talk)
    const { id } = leads.find(({ name }: { name: string }) => name === 'a')
    const path = `/api/v1/agent/sessions/${talk.sessionId}/leads/${id}`
    const answer = await talk.api('PATCH', path, { unproven: false })
    assert.deepEqual([answer.status, answer.body.unproven], [200, undefined])
    await lead(talk, 'e@x.example', stranger)
    assert.deepEqual(await marks(talk), { a: false, b: true, c: true, d: true, e: true })
    const last = (await events(talk, 'lead.updated')).find(({ lead: { name, unproven } }) => name === 'a' && unproven === undefined)
    assert.deepEqual(last?.changed, ['unproven'])
  })

  guarantee('so many leads that they would fill a disk are refused, with when to come again', async (talk) => {
    const stranger = await talk.newKey()
    for (let at = 0; at < 60; at++) assert.equal((await lead(talk, `n${at}@x.example`, stranger)).status, 200)
    const refused = await lead(talk, 'more@x.example', stranger)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
    // What is known already may still be changed.
    assert.equal((await lead(talk, 'n1@x.example', stranger)).status, 200)
  })
})

test('chats and HubSpot are told that a lead is unproven, and HubSpot that it no longer is', () => {
  const event = eventExample('lead.captured') as { data: { lead: object } }
  const marked = JSON.stringify({ ...event, data: { ...event.data, test: undefined, lead: { ...event.data.lead, unproven: true } } })
  for (const chat of ['slack', 'teams', 'discord'] as const)
    assert.match(inFormat(chat, marked, 'https://r.example')?.body ?? '', /Unproven.*came with many others within an hour/)
  const messageIn = (text: string) =>
    (JSON.parse(inFormat('hubspot', text, 'https://r.example')?.body ?? '{}') as { inputs: { properties: { message?: string } }[] })
      .inputs[0]?.properties.message
  assert.match(messageIn(marked) ?? '', /^Unproven: left with many others within an hour\./)
  const change = eventExample('lead.updated') as { data: { lead: object } }
  const cleared = {
    ...change,
    data: { ...change.data, test: undefined, changed: ['unproven'], lead: { ...change.data.lead, notes: null } },
  }
  assert.equal(messageIn(JSON.stringify(cleared)), 'The host has looked at it.')
})
