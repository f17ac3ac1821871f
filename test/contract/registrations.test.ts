// People before and after a talk: registering, the waiting list, the calendar, reminders, changes, links of people who are named, the gate by
// address, the recap, mails to the host. On both stores, over a server that speaks SMTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePerson, send } from '../auth/two-accounts.ts'
import { day, hour, minute, subjects, type Talk, withTalk } from '../registrations/rig.ts'
import type { ReceivedMail } from '../support/smtp-server.ts'
import { eachStore } from '../support/stores.ts'

type Options = Parameters<typeof withTalk>[2]

const links = (mail: ReceivedMail | undefined) => [...(mail?.text ?? '').matchAll(/https?:\/\/\S+/g)].map(([url]) => url)
const linkTo = (mail: ReceivedMail | undefined, path: string) => links(mail).find((url) => url.includes(path)) ?? `no ${path}`
const tokenIn = (url: string) => url.split('/').at(-1) ?? ''
const entryIn = (mail: ReceivedMail | undefined) => {
  const lines = (mail?.parts.get('text/calendar') ?? '').replaceAll(/\r?\n /g, '').split(/\r?\n/)
  return Object.fromEntries(lines.map((line) => [line.split(/[:;]/)[0], line.slice(line.indexOf(':') + 1)]))
}

eachStore((_, open) => {
  const guarantee = (name: string, fn: (talk: Talk) => Promise<void>, options?: Options) => test(name, () => withTalk(open, fn, options))
  const own = (talk: Talk, token: string, method = 'GET') => talk.api(method, `/api/v1/registrations/${token}`, undefined, null)

  guarantee('who registers is told by mail, with an entry for the calendar, their link and the end of mails', async (talk) => {
    const form = await talk.api('GET', `/api/v1/rooms/${talk.slug}/registrations`, undefined, null)
    assert.deepEqual([form.body.asks, form.body.question, form.body.isFull], [['company'], 'What do you hope to learn?', false])
    await talk.api('PUT', '/api/v1/agent/brand', { name: 'Acme Talks' })
    const answer = await talk.register('Maya@acme.example', { company: 'Acme', answer: 'Cost', phone: '123', wantsRecap: true })
    assert.deepEqual([answer.status, answer.body], [201, { state: 'going', isMailed: true }])
    const [mail, ...more] = await talk.pass(0)
    assert.deepEqual([more.length, mail?.to, mail?.headers.get('subject')], [0, ['Maya@acme.example'], 'You have a place: Grid storage'])
    assert.match(mail?.text ?? '', /1:00 PM Central European Standard Time \(Europe\/Berlin\)/)
    // The first mail to an address that somebody typed is the service's, those after it the host's.
    assert.match(mail?.headers.get('from') ?? '', /^"?Rostrum"? <talks@example\.com>$/)
    const end = linkTo(mail, '/mails/')
    assert.equal(mail?.headers.get('list-unsubscribe'), `<${end}>`)
    assert.equal(mail?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    assert.match(mail?.parts.get('text/html') ?? '', /<html lang="en" dir="ltr">[\s\S]*Enter the room/)
    const entry = entryIn(mail)
    assert.deepEqual([entry['METHOD'], entry['SEQUENCE'], entry['DTSTART']], ['REQUEST', '0', '20261122T120000Z'])
    const [person] = await talk.people()
    assert.deepEqual([person?.['company'], person?.['answer'], person?.['phone'], person?.['isTold']], ['Acme', 'Cost', null, true])
    assert.deepEqual(
      person?.['consents'].map(({ to }: { to: string }) => to),
      ['registration', 'recap'],
    )
    const [reminder] = await talk.pass(day)
    assert.match(reminder?.headers.get('from') ?? '', /^"?Acme Talks"? <talks@example\.com>$/)
    const joined = await talk.api('POST', `/api/v1/rooms/${tokenIn(linkTo(mail, '/join/'))}/attendees`, {}, null)
    assert.equal(joined.status, 200)
    const [seen] = await talk.people()
    assert.notEqual(seen?.['joinedAt'], null)
  })

  guarantee('what is missing is said by member; who has not agreed is not registered', async (talk) => {
    for (const [members, pointer] of [
      [{ consent: false }, '#/consent'],
      [{ email: 'nobody' }, '#/email'],
      [{ name: ' ' }, '#/name'],
    ] as const) {
      const refused = await talk.register('maya@acme.example', members)
      assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, pointer])
    }
    await talk.change({ registration: null })
    assert.equal((await talk.register('maya@acme.example')).status, 404)
    assert.deepEqual(await talk.people(), [])
  })

  guarantee('an address that is registered gets its mail once more, seldom, and nobody who asks sees or changes a thing', async (talk) => {
    await talk.register('maya@acme.example')
    await talk.pass(0)
    const again = await talk.register('MAYA@acme.example', { name: 'Somebody else', company: 'Other' })
    assert.deepEqual(again.body, { state: 'going', isMailed: true })
    assert.deepEqual(subjects(await talk.pass(0)), [])
    await talk.pass(11 * minute)
    await talk.register('maya@acme.example')
    assert.deepEqual(subjects(await talk.pass(0)), ['maya@acme.example You have a place: Grid storage'])
    const all = await talk.people()
    assert.deepEqual(
      all.map(({ name, company }) => [name, company]),
      [['Maya Okafor', null]],
    )
  })

  guarantee(
    'at the cap people wait, and are given places in their order when somebody cancels, is removed, or the host makes room',
    async (talk) => {
      assert.equal((await talk.register('a@x.example')).body.state, 'going')
      for (const name of ['b', 'c', 'd', 'e']) {
        talk.clock.set(talk.clock.now() + 1_000)
        assert.equal((await talk.register(`${name}@x.example`)).body.state, 'waiting')
      }
      const first = await talk.pass(0)
      assert.deepEqual(subjects(first).slice(0, 2), [
        'a@x.example You have a place: Grid storage',
        'b@x.example Waiting list: Grid storage',
      ])
      const mailTo = (who: string) => first.find(({ to }) => to[0] === `${who}@x.example`)
      const waiting = mailTo('c')
      assert.deepEqual([linkTo(waiting, '/join/'), waiting?.parts.has('text/calendar')], ['no /join/', false])
      const [a, c] = [tokenIn(linkTo(mailTo('a'), '/registration/')), tokenIn(linkTo(waiting, '/registration/'))]
      assert.deepEqual((await own(talk, c)).body.position, 2)
      const page = await talk.request(`/registration/${a}`, { method: 'POST', headers: { Origin: talk.baseUrl } })
      assert.match(page.text, /"state":"cancelled"/)
      assert.deepEqual(subjects(await talk.pass(0)), [
        'a@x.example Registration cancelled: Grid storage',
        'b@x.example A place for you: Grid storage',
      ])
      const b = (await talk.people()).find(({ email }) => email === 'b@x.example')
      await talk.api('DELETE', `/api/v1/agent/sessions/${talk.sessionId}/registrations/${b?.['id']}`)
      assert.deepEqual(subjects(await talk.pass(0)), [
        'b@x.example Registration cancelled: Grid storage',
        'c@x.example A place for you: Grid storage',
      ])
      await talk.change({ registration: { attendeesMax: 3 } })
      assert.deepEqual(subjects(await talk.pass(0)), [
        'd@x.example A place for you: Grid storage',
        'e@x.example A place for you: Grid storage',
      ])
      assert.equal((await own(talk, c, 'DELETE')).status, 200)
      assert.equal((await own(talk, c, 'DELETE')).status, 200)
      await talk.pass(0)
      assert.equal((await talk.register('a@x.example')).body.state, 'going')
      const [back] = await talk.pass(0)
      assert.deepEqual([back?.to, entryIn(back)['SEQUENCE']], [['a@x.example'], '2'])
    },
    { session: { registration: { attendeesMax: 1 } } },
  )

  guarantee('reminders come a day and an hour before and at the start; who registers late gets those that are left', async (talk) => {
    await talk.register('early@x.example')
    await talk.pass(0)
    assert.deepEqual(subjects(await talk.pass(day)), ['early@x.example Reminder: Grid storage'])
    await talk.pass(23 * hour + 30 * minute - minute)
    await talk.register('late@x.example')
    assert.deepEqual(subjects(await talk.pass(0)), ['late@x.example You have a place: Grid storage'])
    assert.deepEqual(subjects(await talk.pass(31 * minute)), [
      'early@x.example It begins now: Grid storage',
      'late@x.example It begins now: Grid storage',
    ])
  })

  guarantee(
    'a talk that moves is told once, with the same entry and a higher number; a move that is taken back is not told',
    async (talk) => {
      await talk.register('maya@x.example')
      const [first] = await talk.pass(0)
      const at = (ms: number) => new Date(talk.startsAt + ms).toISOString()
      await talk.change({ startsAt: at(hour) })
      await talk.change({ startsAt: at(0) })
      assert.deepEqual(subjects(await talk.pass(3 * minute)), [])
      await talk.change({ startsAt: at(hour) })
      await talk.change({ startsAt: at(3 * hour) })
      const [moved, ...more] = await talk.pass(3 * minute)
      assert.deepEqual([more.length, moved?.headers.get('subject')], [0, 'New time: Grid storage'])
      const [before, after] = [entryIn(first), entryIn(moved)]
      assert.deepEqual(
        [after['UID'], after['METHOD'], after['SEQUENCE'], after['DTSTART']],
        [before['UID'], 'REQUEST', '1', '20261122T150000Z'],
      )
      assert.deepEqual(subjects(await talk.pass(day)), [])
      assert.deepEqual(subjects(await talk.pass(3 * hour)), ['maya@x.example Reminder: Grid storage'])
      assert.equal((await talk.api('POST', `/api/v1/agent/sessions/${talk.sessionId}/unpublish`)).status, 200)
      const [off] = await talk.pass(3 * minute)
      const cancelled = entryIn(off)
      assert.deepEqual([off?.headers.get('subject'), cancelled['UID']], ['Called off: Grid storage', before['UID']])
      assert.deepEqual([cancelled['METHOD'], cancelled['STATUS'], cancelled['SEQUENCE']], ['CANCEL', 'CANCELLED', '2'])
      await talk.api('POST', `/api/v1/agent/sessions/${talk.sessionId}/publish`)
      const [on] = await talk.pass(3 * minute)
      assert.deepEqual([on?.headers.get('subject'), entryIn(on)['SEQUENCE']], ['New time: Grid storage', '3'])
    },
  )

  guarantee('a deleted talk is called off for everybody who was told of it, and keeps no registration', async (talk) => {
    await talk.register('maya@x.example')
    await talk.register('tom@x.example')
    await talk.pass(0)
    assert.equal((await talk.api('DELETE', `/api/v1/agent/sessions/${talk.sessionId}`)).status, 200)
    assert.deepEqual(await talk.store.read.selectFrom('registrants').selectAll().execute(), [])
    const waiting = await talk.store.read.selectFrom('jobs').select('data').where('key', 'like', 'gone:%').execute()
    assert.ok(waiting.every(({ data }) => !Buffer.from(data, 'base64').toString().includes('x.example')))
    const mails = await talk.pass(0)
    assert.deepEqual(subjects(mails), ['maya@x.example Called off: Grid storage', 'tom@x.example Called off: Grid storage'])
    assert.deepEqual([entryIn(mails[0])['METHOD'], entryIn(mails[0])['SEQUENCE']], ['CANCEL', '1'])
    assert.deepEqual(subjects(await talk.pass(2 * day)), [])
  })

  guarantee('one press ends the mails of a talk, from a mail program or by hand, and looking ends nothing', async (talk) => {
    await talk.register('maya@x.example')
    const [mail] = await talk.pass(0)
    const { pathname } = new URL(linkTo(mail, '/mails/'))
    assert.match((await talk.request(pathname)).text, /"talk":false/)
    assert.equal((await talk.request(`${pathname}x`)).status, 404)
    const body = 'List-Unsubscribe=One-Click'
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    assert.match((await talk.request(pathname, { method: 'POST', headers, body })).text, /"talk":true/)
    assert.deepEqual(subjects(await talk.pass(day)), [])
    const [person] = await talk.people()
    assert.deepEqual([person?.['mailsEnded'], person?.['state']], [true, 'going'])
    for (const wrong of [`${pathname}x`, '/mails/host~a~b~leads.abc', '/mails/x'])
      assert.equal((await talk.request(wrong, { method: 'POST' })).status, 404)
    assert.equal((await talk.api('DELETE', '/api/v1/mails/nothing', undefined, null)).status, 404)
  })

  guarantee(
    'people whom a host names are written to when the host says so, each with a link that is theirs; who opened it is seen',
    async (talk) => {
      const path = `/api/v1/agent/sessions/${talk.sessionId}/invitations`
      assert.deepEqual(subjects(await talk.pass(hour)), [])
      const sent = await talk.api('POST', path, {})
      assert.deepEqual([sent.status, sent.body], [202, { sent: 2, ended: 0 }])
      const mails = await talk.pass(0)
      assert.deepEqual(subjects(mails), ['maya@x.example Invitation: Grid storage', 'tom@x.example Invitation: Grid storage'])
      assert.equal((await talk.api('POST', path, {})).body.sent, 0)
      assert.equal((await talk.api('POST', path, { emails: ['TOM@x.example'] })).body.sent, 1)
      assert.deepEqual(subjects(await talk.pass(0)), ['tom@x.example Invitation: Grid storage'])
      assert.equal((await talk.api('POST', path, { emails: ['eve@x.example'] })).status, 400)
      const maya = mails.find(({ to }) => to[0] === 'maya@x.example')
      const { pathname } = new URL(linkTo(maya, '/join/'))
      const seen = async () => (await talk.people()).filter(({ openedAt }) => openedAt !== null).map(({ email }) => email)
      // What looks at links in mails before their reader does.
      await talk.request(pathname)
      assert.deepEqual(await seen(), [])
      assert.equal((await talk.request(pathname, { headers: { 'Sec-Fetch-Mode': 'navigate' } })).status, 200)
      assert.deepEqual(await seen(), ['maya@x.example'])
      await talk.change({ guests: [{ email: 'maya@x.example' }] })
      assert.deepEqual(subjects(await talk.pass(0)), ['tom@x.example Registration cancelled: Grid storage'])
      await talk.change({ linksUntil: new Date(talk.clock.now() + hour).toISOString() })
      assert.equal((await talk.request(pathname)).status, 200)
      talk.clock.set(talk.clock.now() + hour)
      const late = await talk.request(pathname)
      assert.deepEqual([late.status, /"reason":"expired"/.test(late.text)], [403, true])
    },
    { session: { registration: undefined, guests: [{ email: 'maya@x.example', name: 'Maya' }, { email: 'tom@x.example' }] } },
  )

  guarantee(
    'where an address is to be confirmed, the room opens by the mailed link alone, at once or at a set time',
    async (talk) => {
      const plain = await talk.api('GET', `/api/v1/rooms/${talk.slug}`, undefined, null)
      assert.deepEqual([plain.status, plain.body.reason], [403, 'unconfirmed'])
      const sent = await talk.request(`/join/${talk.slug}`)
      assert.deepEqual([sent.status, sent.headers.get('location')], [303, `/register/${talk.slug}`])
      assert.equal((await talk.api('POST', `/api/v1/rooms/${talk.slug}/attendees`, {}, null)).status, 403)
      const stranger = await talk.newKey()
      const asked = { sessionId: talk.sessionId, message: 'What does a battery shift?' }
      assert.equal((await talk.api('POST', '/api/v1/pap/query', asked, stranger)).status, 404)
      await talk.register('maya@x.example')
      const [mail] = await talk.pass(0)
      assert.equal(mail?.headers.get('subject'), 'Your link: Grid storage')
      const key = tokenIn(linkTo(mail, '/join/'))
      assert.equal((await talk.api('POST', `/api/v1/rooms/${key}/attendees`, {}, null)).status, 200)
      await own(talk, tokenIn(linkTo(mail, '/registration/')), 'DELETE')
      assert.equal((await talk.api('POST', `/api/v1/rooms/${key}/attendees`, {}, null)).status, 403)
    },
    { session: { entry: 'confirmed', mode: 'isolated', startPolicy: undefined, startsAt: undefined, registration: undefined } },
  )

  guarantee('people named and a page to register exclude each other', async (talk) => {
    const refused = await talk.change({ guests: [{ email: 'maya@x.example' }] })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '#/registration'])
    assert.equal((await talk.change({ guests: [{ email: 'maya@x.example' }], registration: null })).status, 200)
    assert.equal((await talk.change({ entry: 'confirmed' })).body.errors[0].pointer, '#/entry')
  })

  guarantee('after the talk those who agreed get what it covered, present or not, once', async (talk) => {
    await talk.register('maya@x.example', { wantsRecap: true })
    await talk.register('absent@x.example', { wantsRecap: true })
    await talk.register('quiet@x.example')
    const mails = await talk.pass(0)
    const maya = mails.find(({ to }) => to[0] === 'maya@x.example')
    await talk.pass(2 * day - 10 * minute)
    const key = tokenIn(linkTo(maya, '/join/'))
    const { runId, attendeeToken } = (await talk.api('POST', `/api/v1/rooms/${key}/attendees`, {}, null)).body
    const stream = await talk.stream(`/api/v1/runs/${runId}/stream`, attendeeToken)
    talk.clock.set(talk.startsAt - 1)
    await talk.clock.advance(2 * minute)
    assert.equal((await talk.api('POST', `/api/v1/runs/${runId}/host`, { id: crypto.randomUUID(), action: 'end' })).status, 200)
    await stream.close()
    const after = [...(await talk.pass(minute)), ...(await talk.pass(6 * minute)), ...(await talk.pass(hour))]
    assert.deepEqual(
      subjects(after).filter((subject) => subject.includes('What it covered')),
      ['absent@x.example What it covered: Grid storage', 'maya@x.example What it covered: Grid storage'],
    )
    const recaps = after.map((mail) => linkTo(mail, '/recap/')).filter((url) => url.startsWith('http'))
    assert.equal(new Set(recaps).size, 2)
    for (const url of recaps) {
      const recap = await talk.api('GET', `/api/v1/recaps/${tokenIn(url)}`, undefined, null)
      assert.deepEqual([recap.status, recap.body.slides.length], [200, 1])
    }
    const { attendees } = (await talk.api('GET', `/api/v1/agent/sessions/${talk.sessionId}/attendees`)).body
    assert.equal(attendees.length, 1)
    assert.equal((await talk.register('late@x.example')).status, 410)
    const seen = (await talk.people()).find(({ email }) => email === 'maya@x.example')
    assert.ok(Number(seen?.['secondsInRoom']) > 0)
  })

  guarantee(
    'without a mail server the page has the link and the entry, nothing waits to be sent, and what needs mail says so',
    async (talk) => {
      const made = await talk.register('maya@x.example')
      assert.equal(made.body.isMailed, false)
      const token = tokenIn(made.body.registrationUrl)
      const shown = await own(talk, token)
      assert.deepEqual([shown.body.state, shown.body.isMailed, shown.body.roomUrl.includes('/join/')], ['going', false, true])
      const file = await talk.request(`/registration/${token}/talk.ics`)
      assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'text/calendar; charset=utf-8'])
      assert.match(file.text, /METHOD:PUBLISH\r\n/)
      const byAccept = await talk.request(`/api/v1/registrations/${token}`, { headers: { Accept: 'text/calendar' } })
      assert.equal(byAccept.text, file.text)
      assert.deepEqual((await talk.register('maya@x.example')).body, { state: 'going', isMailed: false })
      const refused = await talk.change({ entry: 'confirmed' })
      assert.deepEqual([refused.status, /ROSTRUM_SMTP_URL/.test(refused.body.errors[0].detail)], [400, true])
      await talk.change({ registration: null, guests: [{ email: 'tom@x.example' }] })
      const invited = await talk.api('POST', `/api/v1/agent/sessions/${talk.sessionId}/invitations`, {})
      assert.match(invited.body.errors[0].detail, /ROSTRUM_SMTP_URL/)
      const list = await talk.api('GET', `/api/v1/agent/sessions/${talk.sessionId}/registrations`)
      assert.equal(list.body.canMail, false)
      const jobs = await talk.store.read.selectFrom('jobs').select('kind').where('kind', 'like', 'registration%').execute()
      assert.deepEqual(jobs, [])
    },
    { hasMail: false },
  )

  guarantee('the page registers without a script, keeps what was typed, and takes nothing of what fills in every field', async (talk) => {
    const post = (fields: Record<string, string>, origin = talk.baseUrl) =>
      talk.request(`/register/${talk.slug}`, {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
    const good = { name: 'Maya', email: 'maya@x.example', consent: 'on', recap: 'on' }
    assert.match((await talk.request(`/register/${talk.slug}`)).text, /<h1>register<\/h1>/)
    const wrong = await post({ ...good, consent: '' })
    assert.deepEqual([wrong.status, /"wrong":\["consent"\]/.test(wrong.text), /maya@x\.example/.test(wrong.text)], [400, true, true])
    assert.equal((await post(good, 'https://evil.example')).status, 403)
    assert.match((await post({ ...good, website: 'https://spam.example' })).text, /registered/)
    assert.deepEqual(await talk.people(), [])
    assert.match((await post(good)).text, /"isMailed":true/)
    assert.equal((await talk.people()).length, 1)
    assert.equal((await talk.request('/register/nothing-here')).status, 404)
  })

  guarantee('the list is a spreadsheet too, and the erasure of a lead takes the registration of the address along', async (talk) => {
    await talk.register('maya@x.example', { company: '=cmd()' })
    const path = `/api/v1/agent/sessions/${talk.sessionId}`
    const headers = { Authorization: `Bearer ${talk.key}`, Accept: 'text/csv' }
    assert.match((await talk.request(`${path}/registrations`, { headers })).text, /"Maya Okafor","maya@x\.example","'=cmd\(\)"/)
    await talk.register('tom@x.example')
    const first = await talk.request(`${path}/registrations?limit=1`, { headers })
    const next = /^<(\?[^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await talk.request(`${path}/registrations${next}`, { headers })
    const addresses = [first, second].map(({ text }) => /(?:maya|tom)@x/.exec(text)?.[0])
    assert.deepEqual(new Set(addresses), new Set(['maya@x', 'tom@x']))
    assert.equal(second.headers.get('link'), null)
    const lead = { sessionId: talk.sessionId, email: 'MAYA@x.example' }
    const { leadId } = (await talk.api('POST', '/api/v1/pap/leads', lead)).body
    await talk.api('DELETE', `${path}/leads/${leadId}`)
    assert.equal((await talk.people()).length, 1)
  })

  guarantee('a host is told of leads together, and once a day of what decks did not answer, as they choose', async (talk) => {
    const owner = await makePerson(talk, talk.accountId, 'owner@host.example')
    const choices = async (members?: object) =>
      (await send(talk, owner, members === undefined ? 'GET' : 'PATCH', '/api/v1/account/mails', members)).body
    assert.deepEqual(await choices(), { leads: true, questions: true, canMail: true })
    await talk.pass(hour)
    for (const who of ['a', 'b']) {
      talk.clock.set(talk.clock.now() + 1_000)
      await talk.api('POST', '/api/v1/pap/leads', { sessionId: talk.sessionId, email: `${who}@x.example`, name: who })
    }
    await talk.api('POST', '/api/v1/pap/query', { sessionId: talk.sessionId, message: 'Who won the cup in 1966?' })
    const [leads, ...none] = await talk.pass(6 * minute)
    assert.deepEqual([none.length, leads?.to, leads?.headers.get('subject')], [0, ['owner@host.example'], '2 leads: Grid storage'])
    assert.match(leads?.text ?? '', /a@x\.example[\s\S]*b@x\.example/)
    const [digest, ...more] = await talk.pass(day + hour)
    assert.deepEqual([more.length, digest?.headers.get('subject')], [0, 'A question that a deck did not answer'])
    assert.match(digest?.text ?? '', /Who won the cup[\s\S]*\/questions\?show=open&answer=/)
    await talk.api('POST', '/api/v1/pap/query', { sessionId: talk.sessionId, message: 'Who won the cup in 1970?' })
    assert.match((await talk.request(new URL(linkTo(digest, '/mails/')).pathname, { method: 'POST' })).text, /"talk":true/)
    assert.deepEqual(subjects(await talk.pass(2 * day)), [])
    await talk.api('POST', '/api/v1/pap/leads', { sessionId: talk.sessionId, email: 'c@x.example' })
    assert.deepEqual(subjects(await talk.pass(6 * minute)), ['owner@host.example A lead: Grid storage'])
    assert.deepEqual(await choices(), { leads: true, questions: false, canMail: true })
    assert.deepEqual(await choices({ leads: false }), { leads: false, questions: false, canMail: true })
    await talk.api('POST', '/api/v1/pap/leads', { sessionId: talk.sessionId, email: 'd@x.example' })
    assert.deepEqual(subjects(await talk.pass(6 * minute)), [])
  })
})
