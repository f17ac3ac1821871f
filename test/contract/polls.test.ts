// What a talk asks its room, over the public API and on both stores: set by a host, asked, answered once by each, shown, kept and erased.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { settle } from '../support/clock.ts'
import { type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const act = (n: number) => `0198c1d2-7a53-7c1e-9a40-0000000000${n.toString(16).padStart(2, '0')}`

async function asking(app: TestService, mode: 'broadcast' | 'isolated', notes: string) {
  const slides = [{ textContent: 'Grid\n- A battery shifts the peak', agentNotes: notes }, { textContent: 'Cost\n- It costs 112 EUR' }]
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', mode, isLive: true, slides })
  return { slug: body.slug as string, path: `/api/v1/agent/sessions/${body.sessionId}` }
}

const quiz = 'Mind the CFO. [poll 30s: How much? | 90 EUR | *112 EUR | 140 EUR]'

eachStore((_backend, openStore) => {
  test('a quiz in a broadcast: hidden until shown, each counted once, the right answer told with the results and kept in all that follows', async () => {
    await withService(openStore, async (app) => {
      const { slug, path } = await asking(app, 'broadcast', quiz)
      const maya = await joinTalk(app, slug, { name: 'Maya Okafor' })
      const [ben, eve] = [await joinTalk(app, slug), await joinTalk(app, slug, { name: 'Eve' })]
      const polls = (who: typeof maya) => who.messages.filter(({ event }) => event === 'poll').map(({ data }) => data)
      for (let seconds = 0; seconds < 60 && polls(maya).length === 0; seconds++) {
        await app.clock.advance(1_000)
        await maya.read()
      }
      const [asked] = polls(maya)
      assert.deepEqual(
        { kind: asked.kind, question: asked.question, options: asked.options, quiz: asked.quiz, open: asked.open, shown: asked.shown },
        { kind: 'choice', question: 'How much?', options: ['90 EUR', '112 EUR', '140 EUR'], quiz: true, open: true, shown: false },
      )
      assert.equal('right' in asked, false)
      const { pollId } = asked
      const first = await maya.act('polls', { id: act(1), pollId, choice: 0 })
      assert.deepEqual([first.status, first.body], [200, { pollId, open: true, answers: 1 }])
      // The same again, another answer, and the first one once more: a repeat answers as the first time and changes nothing.
      await maya.act('polls', { id: act(2), pollId, choice: 1 })
      assert.deepEqual((await maya.act('polls', { id: act(1), pollId, choice: 0 })).body, first.body)
      await ben.act('polls', { id: act(3), pollId, choice: 2 })
      await eve.act('polls', { id: act(4), pollId, choice: 1 })
      for (const [body, words] of [
        [{ pollId, rating: 4 }, /`choice`, 0 to 2/],
        [{ pollId, choice: 3 }, /`choice`, 0 to 2/],
        [{ pollId: 'none', choice: 0 }, /not asked such a poll/],
        [{ pollId, skip: true }, /isolated/],
      ] as const) {
        const refused = await ben.act('polls', { id: crypto.randomUUID(), ...body })
        assert.ok(refused.status >= 400, JSON.stringify(refused.body))
        assert.match(refused.body.detail, words)
      }
      const late = await joinTalk(app, slug)
      await late.read()
      const { polls: known, you } = late.messages.find(({ event }) => event === 'snapshot')?.data ?? {}
      assert.deepEqual([known.length, known[0].results, you.polls], [1, undefined, []])
      const everything = JSON.stringify([maya, ben, eve, late].map(({ messages }) => messages))
      assert.doesNotMatch(everything, /"counts"|CFO/)
      await app.clock.advance(40_000)
      await maya.read()
      const shown = polls(maya).at(-1)
      assert.deepEqual([shown.open, shown.shown, shown.results, shown.right], [false, true, { answers: 3, counts: [0, 2, 1] }, 1])
      const said = maya.messages.findLast(({ event, data }) => event === 'beat' && /right answer/.test(data.text ?? ''))
      assert.equal(said?.data.text, 'The right answer is 112 EUR; 67 percent of you knew it.')
      assert.equal((await eve.act('polls', { id: act(9), pollId, choice: 0 })).status, 409)
      // Who comes back is told what they answered, and whether it was right.
      const again = await app.stream(`/api/v1/runs/${maya.runId}/stream`, maya.token)
      const [snapshot] = await again.read()
      assert.deepEqual(snapshot?.data.you.polls, [{ pollId, choice: 1, right: true }])
      await app.clock.advance(120_000)
      const figures = (await app.api('GET', `${path}/analytics`)).body
      const result = { answers: 3, counts: [0, 2, 1] }
      assert.deepEqual(figures.polls, [
        { pollId, slideIndex: 0, kind: 'choice', question: 'How much?', options: asked.options, quiz: true, right: 1, results: result },
      ])
      const people = (await app.api('GET', `${path}/attendees?limit=10`)).body.attendees
      const ofMaya = people.find(({ name }: { name?: string }) => name === 'Maya Okafor')
      assert.deepEqual(ofMaya.polls, [{ pollId, question: 'How much?', answer: '112 EUR', right: true }])
      const transcript = `${path}/runs/${maya.runId}/transcript`
      const entry = (await app.api('GET', transcript)).body.entries.find(({ type }: { type: string }) => type === 'poll')
      assert.deepEqual([entry.text, entry.poll.results], ['How much? 90 EUR: 0 %, ✓ 112 EUR: 67 %, 140 EUR: 33 % (3)', result])
      const recapUrl = new URL(snapshot?.data.you.recapUrl).pathname
      const recap = (await app.api('GET', `/api/v1/recaps/${recapUrl.split('/').at(-1)}`, undefined, null)).body
      assert.deepEqual([recap.polls[0].results, recap.polls[0].answer], [result, { choice: 1, right: true }])
      // Erased with the details: what was answered counts on, as somebody's.
      const { leadId } = (await maya.act('lead', { id: act(10), email: 'maya@example.org', consent: true })).body
      assert.equal((await app.api('DELETE', `${path}/leads/${leadId}`)).status, 200)
      await settle()
      const after = (await app.api('GET', `${path}/attendees?limit=10`)).body.attendees
      assert.equal(after.filter(({ polls: theirs }: { polls?: object[] }) => theirs !== undefined).length, 2)
      assert.deepEqual((await app.api('GET', `${path}/analytics`)).body.polls[0].results, result)
      const rows = await app.store.read.selectFrom('run_events').select('data').where('type', '=', 'poll_answer').execute()
      assert.equal(
        rows.some(({ data }) => data.includes(maya.attendeeId)),
        false,
      )
      await Promise.all([maya.close(), ben.close(), eve.close(), late.close(), again.close()])
    })
  })

  test('words in an isolated talk: cleaned as questions are, told to nobody else, and the talk goes on with the answer or without', async () => {
    await withService(openStore, async (app) => {
      const { slug } = await asking(app, 'isolated', '[poll words: What comes to mind?] [poll rating: How clear was it?]')
      const maya = await joinTalk(app, slug)
      await maya.act('control', { action: 'start' })
      const open = () => maya.messages.findLast(({ event, data }) => event === 'poll' && data.open)?.data
      for (let turn = 0; turn < 20 && open() === undefined; turn++) {
        await maya.hear()
        await settle()
        await maya.read()
      }
      const { pollId } = open()
      for (const [word, words] of [
        ['maya@example.org', /contact details/],
        ['see www.example.com', /Send another/],
        ['x'.repeat(31), /word/],
      ] as const)
        assert.match(JSON.stringify((await maya.act('polls', { pollId, word })).body), words)
      await maya.hear()
      await app.clock.advance(25_000)
      await maya.read()
      assert.equal(open().pollId, pollId, 'it waits')
      assert.equal((await maya.act('polls', { pollId, word: '  Batteries \u0007 ' })).body.answers, 1)
      for (let turn = 0; turn < 20 && open().pollId === pollId; turn++) {
        await app.clock.advance(100)
        await maya.hear()
        await maya.read()
      }
      const shown = maya.messages.find(({ event, data }) => event === 'poll' && data.shown)?.data
      assert.deepEqual(shown.results, { answers: 1, words: [{ word: 'Batteries', count: 1 }] })
      const rating = open().pollId
      assert.deepEqual((await maya.act('polls', { pollId: rating, skip: true })).body, { pollId: rating, open: false, answers: 0 })
      await maya.until('closing')
      await maya.close()
    })
  })

  test('a host sets polls of a slide by API, finds them in the script, reads what is wrong with one, and leads them', async () => {
    await withService(openStore, async (app) => {
      const { slug, path } = await asking(app, 'broadcast', 'Mind the CFO. [poll: Old? | A | B] [poll: Broken?]')
      const deck = (await app.api('GET', `${path}/deck`)).body
      const [slide] = deck.slides
      assert.deepEqual(slide.polls, [{ kind: 'choice', question: 'Old?', options: ['A', 'B'] }])
      const [finding] = (await app.api('GET', `${path}/script`)).body.findings.filter(({ code }: { code: string }) => code === 'poll')
      assert.match(finding.detail, /options: send 2 to 8 options.*Write \[poll: Question\? \| One \| Two\]/)
      const polls = [{ kind: 'words', question: 'Which word?', seconds: 60 }]
      const patch = (body: object) => app.api('PATCH', `${path}/deck/slides/${slide.id}`, body)
      const changed = await patch({ polls })
      assert.deepEqual([changed.body.polls, changed.body.agentNotes], [polls, 'Mind the CFO.\n[poll words 60s: Which word?]'])
      for (const [body, words] of [
        [{ polls: [{ kind: 'choice', question: 'Which?' }] }, /send 2 to 8 options/],
        [{ polls: [{ kind: 'rating', question: 'Which?', options: ['A', 'B'] }] }, /leave it out for `rating`/],
        [{ polls: [{ kind: 'choice', question: 'Which?', options: ['A', 'B'], right: 2 }] }, /place of one of the options/],
        [{ polls: [{ kind: 'words', question: 'A | B' }] }, /without \[, \] and \|/],
        [{ polls, agentNotes: 'x' }, /not both/],
      ] as const) {
        const refused = await patch(body)
        assert.equal(refused.status, 400)
        assert.match(JSON.stringify(refused.body), words)
      }
      const script = (await app.api('GET', `${path}/script`)).body
      const beat = script.beats.find(({ poll }: { poll?: object }) => poll !== undefined)
      assert.equal(beat.text, 'Which word? Please answer on your screen.')
      const { pollId } = beat.poll
      const sentence = script.slides[0].sentences.at(-1)
      assert.deepEqual([sentence.pollId, sentence.fixed], [pollId, true])
      // The document as it was read changes nothing; another question is said in its place.
      const slides = script.slides.map(({ slideId, sentences }: { slideId: string; sentences: object[] }) => ({ slideId, sentences }))
      const same = (await app.api('PUT', `${path}/script`, { slides })).body
      assert.deepEqual(same.slides, script.slides)
      const maya = await joinTalk(app, slug)
      const eve = await joinTalk(app, slug)
      const host = (body: object) => app.api('POST', `/api/v1/runs/${maya.runId}/host`, { id: crypto.randomUUID(), ...body })
      assert.match((await host({ action: 'open_poll' })).body.detail, /`pollId`/)
      assert.match((await host({ action: 'show_poll', pollId })).body.detail, /open it first/)
      assert.equal((await host({ action: 'open_poll', pollId })).status, 200)
      await maya.act('polls', { pollId, word: 'Peak' })
      await eve.act('polls', { pollId, word: 'peak' })
      const desk = await app.stream(`/api/v1/runs/${maya.runId}/stream`, app.key)
      const [snapshot] = await desk.read()
      assert.deepEqual(snapshot?.data.presence.poll, { pollId, answers: 2, words: [{ word: 'Peak', count: 2 }] })
      await app.clock.advance(2_000)
      await maya.read()
      assert.deepEqual(maya.messages.findLast(({ event }) => event === 'presence')?.data.poll, { pollId, answers: 2 })
      await host({ action: 'show_poll', pollId })
      await host({ action: 'hide_word', pollId, word: 'PEAK' })
      await maya.read()
      const last = maya.messages.findLast(({ event }) => event === 'poll')?.data
      assert.deepEqual([last.open, last.shown, last.results], [true, true, { answers: 2, words: [] }])
      await host({ action: 'close_poll', pollId })
      assert.match((await host({ action: 'open_poll', pollId })).body.detail, /cannot be asked again/)
      await Promise.all([maya.close(), eve.close(), desk.close()])
    })
  })

  test('a rehearsal answers what the talk asks, and comes to its end', async () => {
    await withService(openStore, async (app) => {
      const { path } = await asking(app, 'broadcast', quiz)
      const { rehearsalId } = (await app.api('POST', `${path}/rehearsals`, { audience: { questions: 0, speed: 1_000 } })).body
      let status = ''
      for (let turn = 0; turn < 200 && status !== 'completed'; turn++) {
        await app.clock.advance(500)
        status = (await app.api('GET', `${path}/rehearsals/${rehearsalId}`)).body.status
      }
      assert.equal(status, 'completed')
    })
  })
})
