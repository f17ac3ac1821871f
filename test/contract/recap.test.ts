// What an attendee keeps of a talk: their own questions and nobody else's, at an address that opens nothing but that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '../../server/runs/runner/forget.ts'
import { systemIds } from '@rostrum/base/clock'
import { createRecapLinks } from '../../server/runs/attendees.ts'
import type { NewRunEvent } from '@rostrum/contract/room'
import { answered, asked, holdRun, said, slide } from '../support/held-runs.ts'
import { liveRoom } from '../support/live.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [
  { textContent: 'Grid storage\nA battery shifts the peak', agentNotes: 'secret-note-71' },
  { textContent: 'Cost\n112 EUR per kWh' },
  { textContent: 'Never shown\nAt all' },
]

/** The questions of the two, as what becomes of them is written. */
interface Askers {
  anns(change: Change): NewRunEvent
  bens(change: Change): NewRunEvent
}
type Change = Parameters<typeof asked>[3]

/** A broadcast of two slides in which Ann asked and Ben asked; Ben's second question was joined to Ann's. */
async function held(app: TestService, kind: 'live' | 'rehearsal' = 'live', more: (by: Askers) => readonly NewRunEvent[] = () => []) {
  const cta = { ctaText: 'Book a call', ctaUrl: 'https://example.com/call' }
  const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides, ...cta })
  const sessionId = made.body.sessionId as string
  const { deckId } = (await app.api('GET', `/api/v1/agent/sessions/${sessionId}/deck`)).body
  const [ann, ben] = [systemIds.uuid(), systemIds.uuid()]
  const anns = (change: Change) => asked('q1', ann, 'What is the price?', { slideIndex: 1, ...change })
  const bens = (change: Change) => asked('q3', ben, 'And the price, says Ben?', change)
  const runId = await holdRun(app.store, {
    accountId: app.accountId,
    sessionId,
    kind,
    startedAt: app.clock.now(),
    events: [
      slide(0, 'Grid storage'),
      ...said('a', 0, 'A battery shifts the peak.'),
      slide(1, 'Cost'),
      anns({}),
      asked('q2', ben, 'Is Ben here?', { slideIndex: 1 }),
      bens({ status: 'merged', mergedInto: 'q1' }),
      ...answered('q1', 'Slide 2 says: "112 EUR per kWh".'),
      anns({ status: 'answered' }),
      bens({ status: 'answered', mergedInto: 'q1' }),
      ...answered('q2', 'The deck does not say.', 'unknown'),
      ...more({ anns, bens }),
    ],
  })
  await app.store.write(async (tx) => {
    await tx.updateTable('runs').set({ deck_id: deckId }).where('id', '=', runId).execute()
    for (const [id, name] of [
      [ann, 'Ann Archer'],
      [ben, 'Ben Baker'],
    ] as const) {
      const row = {
        id,
        run_id: runId,
        session_id: sessionId,
        token_hash: id,
        name,
        language: null,
        kind: 'human',
        created_at: app.clock.now(),
      } as const
      await tx.insertInto('attendees').values(row).execute()
    }
  })
  const tokenOf = (id: string) => app.service.live.room.recapLinks.linkOf(id).split('/recap/')[1] ?? ''
  const read = (token: string) => app.api('GET', `/api/v1/recaps/${encodeURIComponent(token)}`, undefined, null)
  return { sessionId, runId, ann, ben, tokenOf, read }
}

eachStore((_, open) => {
  test('[R-10] a recap has the slides that were passed, the own questions with their answers, and the offer', () =>
    withService(open, async (app) => {
      const { ann, ben, tokenOf, read } = await held(app)
      const { status, body, headers } = await read(tokenOf(ann))
      assert.equal(status, 200)
      assert.deepEqual(
        body.slides.map(({ index, title }: { index: number; title: string }) => `${index} ${title}`),
        ['0 Grid storage', '1 Cost'],
      )
      assert.deepEqual(
        body.questions.map(({ text, answer }: { text: string; answer: string }) => [text, answer]),
        [['What is the price?', 'Slide 2 says: "112 EUR per kWh".']],
      )
      assert.deepEqual(body.cta, { text: 'Book a call', url: 'https://example.com/call', kind: 'link' })
      assert.match(headers.get('cache-control') ?? '', /no-store|private/)
      // Joined to the question of somebody else: the answer is theirs too, the other's words are not.
      const bens = (await read(tokenOf(ben))).body.questions
      assert.deepEqual(
        bens.map(({ text, answer }: { text: string; answer: string }) => [text, answer]),
        [
          ['Is Ben here?', 'The deck does not say.'],
          ['And the price, says Ben?', 'Slide 2 says: "112 EUR per kWh".'],
        ],
      )
    }))

  for (const becomes of ['answered', 'expired'] as const) {
    test(`[R-10] who heard an answer keeps it, though the question was let in again and joined to one that is ${becomes}`, () =>
      withService(open, async (app) => {
        const carl = systemIds.uuid()
        const carls = (change: Change) => asked('q4', carl, 'What does it cost today?', change)
        const { ann, ben, tokenOf, read } = await held(app, 'live', ({ anns }) => [
          carls({}),
          anns({ status: 'hidden' }),
          anns({ status: 'merged', mergedInto: 'q4' }),
          ...(becomes === 'answered' ? answered('q4', '100 EUR per kWh.') : []),
          carls({ status: becomes }),
          anns({ status: becomes, mergedInto: 'q4' }),
        ])
        for (const who of [ann, ben]) {
          const { body } = await read(tokenOf(who))
          assert.equal(body.questions.at(-1).answer, 'Slide 2 says: "112 EUR per kWh".')
        }
      }))
  }

  test('[R-10] nothing of anybody else is in it, no name, no note, no id', () =>
    withService(open, async (app) => {
      const { sessionId, runId, ann, ben, tokenOf, read } = await held(app)
      for (const text of [(await read(tokenOf(ann))).text, (await app.request(`/recap/${tokenOf(ann)}`)).text])
        for (const foreign of ['Ben', 'Archer', 'secret-note', 'Never shown', ann, ben, runId, sessionId, app.accountId]) {
          assert.ok(!text.includes(foreign), `${foreign} in ${text}`)
        }
    }))

  test('[R-10] a token that was altered, or made for somebody else, opens nothing, and none of them is a credential', () =>
    withService(open, async (app) => {
      const { runId, ann, ben, tokenOf, read } = await held(app)
      const token = tokenOf(ann)
      const [, mac = ''] = token.split('.')
      const wrong = [
        ann,
        `${ann}.`,
        `${ben}.${mac}`,
        `${token}x`,
        token.slice(0, -2),
        `${systemIds.uuid()}.${mac}`,
        mac,
        '.',
        'x'.repeat(201),
      ]
      for (const each of wrong) {
        const { status, body } = await read(each)
        assert.deepEqual([status, body.code], [404, 'not_found'], each)
        for (const method of ['GET', 'POST'])
          assert.equal((await app.request(`/recap/${encodeURIComponent(each)}`, { method })).status, 404)
      }
      const posted = await app.api('POST', `/api/v1/runs/${runId}/questions`, { id: systemIds.uuid(), text: 'Hm?' }, token)
      assert.equal(posted.status, 401)
    }))

  test('[R-10] one is taken back by its address, for good, and no other with it', () =>
    withService(open, async (app) => {
      const { sessionId, ann, ben, tokenOf, read } = await held(app)
      const listed = async (): Promise<unknown[]> => {
        const { attendees } = (await app.api('GET', `/api/v1/agent/sessions/${sessionId}/attendees`)).body
        return attendees.flatMap(({ name, recapUrl }: { name: string; recapUrl?: string }) => (recapUrl ? [[name, recapUrl]] : [])).sort()
      }
      const bens = ['Ben Baker', `${app.baseUrl}/recap/${tokenOf(ben)}`]
      assert.deepEqual(await listed(), [['Ann Archer', `${app.baseUrl}/recap/${tokenOf(ann)}`], bens])
      const end = (token: string) => app.api('DELETE', `/api/v1/recaps/${encodeURIComponent(token)}`, undefined, null)
      assert.equal((await end(`${ben}.${tokenOf(ann).split('.')[1] ?? ''}`)).status, 404)
      assert.deepEqual((await end(tokenOf(ann))).body, { ended: true })
      assert.equal((await read(tokenOf(ann))).status, 404)
      assert.equal((await app.request(`/recap/${tokenOf(ann)}`)).status, 404)
      assert.deepEqual((await end(tokenOf(ann))).body, { ended: true }, 'a repeat is answered as the first')
      assert.equal((await read(tokenOf(ben))).status, 200)
      assert.deepEqual(await listed(), [bens], 'the host sees those that are kept')
    }))

  test('[R-10] its page takes it back and is gone, and says so again to who clicked twice: they once read that nothing is here', () =>
    withService(open, async (app) => {
      const { ann, ben, tokenOf, read } = await held(app)
      const page = `/recap/${tokenOf(ann)}`
      for (let click = 0; click < 2; click++) {
        const ended = await app.request(page, { method: 'POST' })
        assert.deepEqual([ended.status, ended.headers.get('referrer-policy')], [200, 'no-referrer'])
        assert.match(ended.text, /recap-ended/)
      }
      for (const gone of [await app.request(page), await read(tokenOf(ann))]) assert.equal(gone.status, 404)
      assert.equal((await read(tokenOf(ben))).status, 200)
    }))

  test('its page counts as an act of an attendee does: anybody could once repeat it without end', () =>
    withService(
      open,
      async (app) => {
        const { ann, tokenOf } = await held(app)
        const end = () => app.request(`/recap/${tokenOf(ann)}`, { method: 'POST' })
        assert.deepEqual([(await end()).status, (await end()).status, (await end()).status], [200, 200, 429])
      },
      { ROSTRUM_RATE_ROOM: '2/1m' },
    ))

  test('[R-10] it is gone with its session; that of a rehearsal after a week', () =>
    withService(open, async (app) => {
      const live = await held(app)
      const rehearsal = await held(app, 'rehearsal')
      const [kept, tried] = [live.tokenOf(live.ann), rehearsal.tokenOf(rehearsal.ann)]
      assert.deepEqual([(await live.read(kept)).status, (await live.read(tried)).status], [200, 200])
      await cleanUp(app.store, app.clock.now() + 8 * 86_400_000)
      assert.deepEqual([(await live.read(kept)).status, (await live.read(tried)).status], [200, 404])
      assert.equal((await app.api('POST', `/api/v1/agent/sessions/${live.sessionId}/unpublish`)).status, 200)
      assert.equal((await live.read(kept)).status, 200, 'the link of a talk that was held stays')
      assert.equal((await app.api('DELETE', `/api/v1/agent/sessions/${live.sessionId}`)).status, 200)
      assert.equal((await live.read(kept)).status, 404)
      assert.equal((await app.request(`/recap/${kept}`)).status, 404)
    }))

  test('the page is kept by no search engine and its address told to no other site', () =>
    withService(open, async (app) => {
      const { ann, tokenOf } = await held(app)
      const { status, headers } = await app.request(`/recap/${tokenOf(ann)}`)
      assert.equal(status, 200)
      assert.deepEqual([headers.get('x-robots-tag'), headers.get('referrer-policy')], ['noindex', 'no-referrer'])
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
    }))
})

test('the room gives each attendee their link, and the host none', async () => {
  const room = await liveRoom()
  const ann = await room.join({ name: 'Ann' })
  const youOf = async (reader: typeof room.host) => {
    const stream = await room.stream(reader, ann.runId)
    const [snapshot] = stream.of('snapshot')
    assert.ok(snapshot)
    return snapshot['you'] as { recapUrl?: string }
  }
  const links = createRecapLinks(['secret of this test'], 'https://rostrum.test')
  const { recapUrl = '' } = await youOf(ann.principal)
  assert.equal(recapUrl, links.linkOf(ann.attendeeId))
  const recap = await room.call('view_recap', { kind: 'nobody' }, { token: recapUrl.split('/recap/')[1] })
  assert.deepEqual([recap['title'], recap['questions']], ['Sample talk', []])
  assert.equal((await youOf(room.host)).recapUrl, undefined)
  await room.close()
})

test('a link outlives a change of the secret as long as the old one is listed', () => {
  const token = (secrets: string[]) => createRecapLinks(secrets, '').linkOf('ann').split('/recap/')[1] ?? ''
  assert.equal(createRecapLinks(['new', 'old'], '').attendeeOf(token(['old'])), 'ann')
  assert.equal(createRecapLinks(['new'], '').attendeeOf(token(['old'])), null)
})
