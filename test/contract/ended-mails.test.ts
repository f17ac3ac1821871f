// What a person has ended stays ended until they take it back, on both stores: whoever registers their address again, in whatever spelling,
// also when their registration was removed, and for a talk or all talks of its host. Nobody else hears of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute, subjects, type Talk, withTalk } from '../registrations/rig.ts'
import type { ReceivedMail } from '../support/smtp-server.ts'
import { eachStore } from '../support/stores.ts'

type Options = Parameters<typeof withTalk>[2]

const pathIn = (mail: ReceivedMail | undefined, path: string) =>
  new URL(/https?:\/\/\S+/g[Symbol.match](mail?.text ?? '')?.find((url) => url.includes(path)) ?? 'http://no.such').pathname

eachStore((_, open) => {
  const guarantee = (name: string, fn: (talk: Talk) => Promise<void>, options?: Options) => test(name, () => withTalk(open, fn, options))
  const press = (talk: Talk, path: string, fields: Record<string, string> = { 'List-Unsubscribe': 'One-Click' }) =>
    talk.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  /** Registered and told, and then all mails of the talk ended. */
  async function ended(talk: Talk, email = 'maya@x.example') {
    await talk.register(email, { wantsRecap: true })
    const [mail] = await talk.pass(0)
    const path = pathIn(mail, '/mails/')
    assert.equal((await press(talk, path)).status, 200)
    return { mail, path }
  }

  guarantee(
    'a stranger who registers an address that ended its mails switches none of them on, and hears what everybody hears',
    async (talk) => {
      await ended(talk)
      await talk.pass(11 * minute)
      const answer = await talk.register('maya@x.example')
      const other = await talk.register('new@x.example')
      assert.deepEqual([answer.status, answer.body], [other.status, other.body])
      assert.deepEqual(subjects(await talk.pass(0)), ['new@x.example You have a place: Grid storage'])
      assert.deepEqual(subjects(await talk.pass(day)), ['new@x.example Reminder: Grid storage'])
      await talk.change({ startsAt: new Date(talk.startsAt + day).toISOString() })
      assert.deepEqual(subjects(await talk.pass(3 * minute)), ['new@x.example New time: Grid storage'])
      const page = (email: string) =>
        talk.request(`/register/${talk.slug}`, {
          method: 'POST',
          headers: { Origin: talk.baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ name: 'M', email, consent: 'on' }).toString(),
        })
      const [known, unknown] = [await page('maya@x.example'), await page('else@x.example')]
      assert.equal(known.text.replaceAll('maya@', '@'), unknown.text.replaceAll('else@', '@'))
    },
  )

  guarantee('ended mails stay ended after a cancellation and another registration', async (talk) => {
    const { mail } = await ended(talk)
    const own = `/api/v1${pathIn(mail, '/registration/').replace('registration', 'registrations')}`
    assert.equal((await talk.api('DELETE', own, undefined, null)).status, 200)
    assert.equal((await talk.register('maya@x.example')).status, 201)
    assert.deepEqual(subjects(await talk.pass(day)), [])
    assert.deepEqual(
      (await talk.people()).map(({ state, mailsEnded }) => [state, mailsEnded]),
      [['going', true]],
    )
  })

  guarantee('ended mails stay ended for another spelling of the address', async (talk) => {
    await ended(talk, 'maya.okafor@gmail.com')
    await ended(talk, 'tom@acme.example')
    for (const spelling of [
      'Maya.Okafor@GMAIL.com',
      'mayaokafor@gmail.com',
      'm.ayaokafor+1@googlemail.com',
      'tom+again@acme.example',
      'TOM@acme.example',
    ])
      assert.equal((await talk.register(spelling)).status, 201)
    assert.deepEqual(subjects(await talk.pass(day)), [])
    // Whose tags may be other people is registered apart.
    const addresses = new Set((await talk.people()).map(({ email }) => email))
    assert.deepEqual(addresses, new Set(['maya.okafor@gmail.com', 'tom+again@acme.example', 'tom@acme.example']))
  })

  guarantee(
    'ended mails stay ended when the host removes the person, or erases them, and a stranger registers them again',
    async (talk) => {
      await ended(talk)
      await ended(talk, 'tom@x.example')
      const path = `/api/v1/agent/sessions/${talk.sessionId}`
      const maya = (await talk.people()).find(({ email }) => email === 'maya@x.example')
      assert.equal((await talk.api('DELETE', `${path}/registrations/${maya?.['id']}`)).status, 200)
      const { leadId } = (await talk.api('POST', '/api/v1/pap/leads', { sessionId: talk.sessionId, email: 'tom@x.example' })).body
      assert.equal((await talk.api('DELETE', `${path}/leads/${leadId}`)).status, 200)
      assert.deepEqual(await talk.people(), [])
      await talk.register('maya@x.example')
      await talk.register('tom@x.example')
      assert.deepEqual(subjects(await talk.pass(day)), [])
      // What keeps the end names nobody.
      const kept = await talk.store.read.selectFrom('mails_ended').selectAll().execute()
      assert.deepEqual([kept.length, /maya|tom|example/.test(JSON.stringify(kept))], [2, false])
    },
  )

  guarantee(
    'ended mails stay ended for a guest whom the host takes off and names again',
    async (talk) => {
      const path = `/api/v1/agent/sessions/${talk.sessionId}/invitations`
      await talk.api('POST', path, {})
      const [mail] = await talk.pass(0)
      await press(talk, pathIn(mail, '/mails/'))
      assert.equal((await talk.change({ guests: [{ email: 'tom@x.example' }] })).status, 200)
      await talk.change({ guests: [{ email: 'Maya@x.example' }, { email: 'tom@x.example' }] })
      assert.deepEqual((await talk.api('POST', path, {})).body, { sent: 1, ended: 1 })
      assert.deepEqual(subjects(await talk.pass(0)), ['tom@x.example Invitation: Grid storage'])
    },
    { session: { registration: undefined, guests: [{ email: 'maya@x.example' }] } },
  )

  guarantee('the last mail of somebody who was taken off names an end that works', async (talk) => {
    await talk.register('maya@x.example')
    await talk.pass(0)
    const [maya] = await talk.people()
    await talk.api('DELETE', `/api/v1/agent/sessions/${talk.sessionId}/registrations/${maya?.['id']}`)
    const [gone] = await talk.pass(0)
    const end = pathIn(gone, '/mails/')
    assert.match((await talk.request(end)).text, /"talk":false/)
    assert.match((await press(talk, end)).text, /"talk":true/)
    await talk.register('maya@x.example')
    assert.deepEqual(subjects(await talk.pass(day)), [])
  })

  guarantee('who ended the mails of a host gets none of another talk of theirs; of another host they come', async (talk) => {
    const { path } = await ended(talk)
    assert.match((await press(talk, path, { of: 'host', mails: 'off' })).text, /"host":true/)
    const second = { startsAt: new Date(talk.startsAt).toISOString(), mode: 'broadcast', startPolicy: 'scheduled', isLive: true }
    const slides = [{ textContent: 'Pumped storage\n- Water goes up at night' }]
    const made = async (title: string, key?: string) =>
      (await talk.api('POST', '/api/v1/agent/sessions', { ...second, title, registration: {}, slides }, key)).body.slug
    const [same, other] = [await made('Pumped storage'), await made('Their storage', await talk.newKey())]
    for (const slug of [same, other])
      await talk.api('POST', `/api/v1/rooms/${slug}/registrations`, { email: 'MAYA@x.example', name: 'M', consent: true }, null)
    assert.deepEqual(subjects(await talk.pass(0)), ['MAYA@x.example You have a place: Their storage'])
    await press(talk, path, { of: 'host', mails: 'on' })
    assert.deepEqual(subjects(await talk.pass(0)), ['MAYA@x.example You have a place: Pumped storage'])
    // The talk that was ended by itself stays so.
    assert.match((await talk.request(path)).text, /"talk":true,"host":false/)
  })

  guarantee('mails come again by a press in a mail or on the own page, and what was missed is told', async (talk) => {
    const { mail, path } = await ended(talk)
    await talk.change({ startsAt: new Date(talk.startsAt + hour).toISOString() })
    assert.deepEqual(subjects(await talk.pass(3 * minute)), [])
    const own = await talk.api('GET', `/api/v1${pathIn(mail, '/registration/').replace('registration', 'registrations')}`, undefined, null)
    assert.deepEqual([own.body.isMailed, new URL(own.body.mailsUrl).pathname], [false, path])
    assert.match((await press(talk, path, { of: 'talk', mails: 'on' })).text, /"talk":false/)
    assert.deepEqual(subjects(await talk.pass(0)), ['maya@x.example New time: Grid storage'])
    assert.deepEqual(subjects(await talk.pass(day + hour)), ['maya@x.example Reminder: Grid storage'])
    const token = path.split('/').at(-1)
    assert.deepEqual((await talk.api('DELETE', `/api/v1/mails/${token}`, { of: 'host' }, null)).body, { ended: true })
    assert.deepEqual((await talk.api('PUT', `/api/v1/mails/${token}`, {}, null)).body, { ended: false })
    assert.equal((await talk.api('PUT', `/api/v1/mails/${token}x`, {}, null)).status, 404)
  })

  guarantee('who ended mails gets no recap and no film, whoever registers them for it again', async (talk) => {
    await ended(talk)
    await talk.pass(11 * minute)
    await talk.register('maya@x.example', { wantsRecap: true })
    await talk.register('tom@x.example', { wantsRecap: true })
    await talk.pass(2 * day - 21 * minute)
    const { runId, attendeeToken } = (await talk.api('POST', `/api/v1/rooms/${talk.slug}/attendees`, {}, null)).body
    const stream = await talk.stream(`/api/v1/runs/${runId}/stream`, attendeeToken)
    talk.clock.set(talk.startsAt - 1)
    await talk.clock.advance(2 * minute)
    await talk.api('POST', `/api/v1/runs/${runId}/host`, { id: crypto.randomUUID(), action: 'end' })
    await stream.close()
    const after = [...(await talk.pass(minute)), ...(await talk.pass(6 * minute)), ...(await talk.pass(hour))]
    assert.deepEqual(subjects(after), ['tom@x.example It begins now: Grid storage', 'tom@x.example What it covered: Grid storage'])
  })

  guarantee('what was ended in an older version holds for other spellings too', async (talk) => {
    await ended(talk, 'maya.okafor@gmail.com')
    await talk.store.write(async (tx) => {
      await tx.deleteFrom('mails_ended').execute()
      await tx.updateTable('registrants').set({ mailbox: null }).execute()
    })
    await talk.pass(11 * minute)
    await talk.register('mayaokafor@gmail.com')
    assert.deepEqual(subjects(await talk.pass(day)), [])
    assert.equal((await talk.store.read.selectFrom('mails_ended').selectAll().execute()).length, 1)
  })
})
