// What strangers can have a talk send: so many first mails in an hour, of one network a part of them, short, and nothing of a host's in them
// that somebody could abuse. Beyond it nothing of a registration is lost, and its host is told. On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePerson } from '../auth/two-accounts.ts'
import { day, hour, minute, subjects, type Talk, withTalk } from '../registrations/rig.ts'
import { isServiceError } from '@rostrum/base/errors'
import { eachStore } from '../support/stores.ts'

type Options = Parameters<typeof withTalk>[2]
const env = { ROSTRUM_RATE_LEAD: 'off', ROSTRUM_TALK_MAILS: '10' }

eachStore((_, open) => {
  const guarantee = (name: string, fn: (talk: Talk) => Promise<void>, more: Options = {}) =>
    test(name, () => withTalk(open, fn, { env, ...more }))
  /** As if from that network. */
  const from = async (talk: Talk, network: number, email: string) => {
    const call = { principal: { kind: 'nobody' as const }, now: talk.clock.now(), requestId: 'r', address: `203.0.${network}.7` }
    const given = { slug: talk.slug, email, name: 'N', consent: true, wantsRecap: false }
    const register = talk.service.operations.find(({ name }) => name === 'register')
    await register?.handle(given, { ...call, signal: new AbortController().signal })
  }
  const list = async (talk: Talk) => (await talk.api('GET', `/api/v1/agent/sessions/${talk.sessionId}/registrations`)).body

  guarantee(
    'one network that registers addresses has a talk write to a fifth of its ceiling an hour; nobody else waits for it',
    async (talk) => {
      for (let at = 0; at < 9; at++) await from(talk, 1, `a${at}@x.example`)
      await from(talk, 2, 'maya@x.example')
      assert.deepEqual(subjects(await talk.pass(0)), [
        'a0@x.example You have a place: Grid storage',
        'a1@x.example You have a place: Grid storage',
        'maya@x.example You have a place: Grid storage',
      ])
      const { registrations, held } = await list(talk)
      assert.deepEqual([registrations.length, held.mails], [10, 7])
      assert.equal(registrations.filter(({ mailWaitsUntil }: { mailWaitsUntil?: string }) => mailWaitsUntil !== undefined).length, 7)
      assert.match(held.detail, /7 mails wait.*send what waits/)
      assert.equal((await talk.pass(hour)).length, 2)
      assert.equal((await talk.pass(hour)).length, 2)
    },
  )

  guarantee(
    'many networks have a talk write to so many in an hour; no registration is lost, and the host is told in a mail and sends the rest',
    async (talk) => {
      await makePerson(talk, talk.accountId, 'owner@host.example')
      for (let at = 0; at < 25; at++) await from(talk, at, `b${at}@x.example`)
      const mails = await talk.pass(0)
      const [told, ...more] = mails.filter(({ to }) => to[0] === 'owner@host.example')
      assert.deepEqual([mails.length, more.length, told?.headers.get('subject')], [11, 0, 'Many people registered at once: Grid storage'])
      assert.match(told?.text ?? '', /their mails leave by and by[\s\S]*\/share/)
      assert.deepEqual([(await list(talk)).held.mails, (await list(talk)).going], [15, 25])
      const sent = await talk.api('POST', `/api/v1/agent/sessions/${talk.sessionId}/registrations/mails`)
      assert.deepEqual([sent.status, sent.body], [202, { sent: 15 }])
      assert.equal((await talk.pass(0)).length, 15)
      assert.equal((await list(talk)).held, undefined)
    },
  )

  guarantee('who has had no first mail gets no reminder before it', async (talk) => {
    await talk.pass(day - 10 * minute)
    for (let at = 0; at < 9; at++) await from(talk, 1, `c${at}@x.example`)
    assert.equal((await talk.pass(0)).length, 2)
    const next = subjects(await talk.pass(11 * minute))
    assert.deepEqual(
      next.filter((subject) => subject.includes('Reminder')),
      ['c0@x.example Reminder: Grid storage', 'c1@x.example Reminder: Grid storage'],
    )
  })

  guarantee('more than could leave in twenty hours is refused with the way on, of one network before others', async (talk) => {
    for (let at = 0; at < 40; at++) await from(talk, 1, `d${at}@x.example`)
    await assert.rejects(
      from(talk, 1, 'one-more@x.example'),
      (error) => isServiceError(error) && error.code === 'rate_limited' && error.extra.headers?.['Retry-After'] === '3600',
    )
    await from(talk, 2, 'maya@x.example')
  })

  guarantee('two spellings of one mailbox are one registration and one mail', async (talk) => {
    for (const email of ['maya.okafor@gmail.com', 'Maya.Okafor@gmail.com', 'mayaokafor+a@gmail.com', 'm.ayaokafor@googlemail.com'])
      assert.deepEqual((await talk.register(email)).body, { state: 'going', isMailed: true })
    assert.deepEqual(subjects(await talk.pass(0)), ['maya.okafor@gmail.com You have a place: Grid storage'])
    assert.equal((await talk.people()).length, 1)
  })

  guarantee(
    'the first mail to an address that somebody typed holds no brand and no link of the host, the next ones do',
    async (talk) => {
      await talk.api('PUT', '/api/v1/agent/brand', { name: 'Your Bank' })
      await talk.register('maya@x.example')
      const [mail] = await talk.pass(0)
      const all = [mail?.headers.get('from'), mail?.headers.get('subject'), mail?.text, ...(mail?.parts.values() ?? [])].join('\n')
      assert.match(mail?.headers.get('from') ?? '', /^"?Rostrum"? </)
      assert.doesNotMatch(all, /Your Bank|evil\.example|https:\/\/evil|Win a prize today by calling us/)
      assert.match(mail?.text ?? '', /Win a prize/)
      // The entry of the calendar, as mail programs take it, and nothing beside it.
      assert.deepEqual(new Set(mail?.parts.keys()), new Set(['text/plain', 'text/html', 'text/calendar', 'application/ics']))
      const [reminder] = await talk.pass(day)
      assert.match(reminder?.headers.get('from') ?? '', /Your Bank/)
    },
    { session: { title: 'Win a prize at https://evil.example/now or evil.example: Win a prize today by calling us at once' } },
  )
})
