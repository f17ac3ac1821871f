// Searching what was said and asked, within one run and over the runs of a session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered, asked, holdRun, said, slide } from '../support/held-runs.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const start = Date.UTC(2026, 10, 20, 9)

async function twoRuns(app: TestService) {
  const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: [{ textContent: 'Grid' }] })
  const sessionId = made.body.sessionId as string
  const of = { accountId: app.accountId, sessionId }
  const events = [
    slide(0, 'Grid storage'),
    ...said('a', 0, 'A BATTERY shifts the peak.'),
    slide(1, 'Cost'),
    ...said('b', 1, 'It costs 112 EUR.'),
  ]
  const older = await holdRun(app.store, { ...of, startedAt: start, events })
  const newer = await holdRun(app.store, {
    ...of,
    startedAt: start + 60_000,
    events: [...events, asked('q', 'ann', 'Which battery? 100% (really)?'), ...answered('q', 'The Battery of slide 1. Größe XL.')],
  })
  const rehearsal = await holdRun(app.store, { ...of, kind: 'rehearsal', startedAt: start, events })
  const search = (query: Record<string, string>) =>
    app.api('GET', `/api/v1/agent/sessions/${sessionId}/transcripts?${new URLSearchParams(query).toString()}`)
  return { sessionId, older, newer, rehearsal, search }
}

eachStore((_, open) => {
  test('[R-8] words are found case aside, newest run first and in the order of the talk, with their place', () =>
    withService(open, async (app) => {
      const { older, newer, search } = await twoRuns(app)
      const { status, body } = await search({ q: 'battery' })
      assert.equal(status, 200)
      const seen = body.matches.map((match: Record<string, unknown>) => [
        match['runId'],
        match['type'],
        match['offsetMs'],
        match['slideIndex'],
      ])
      assert.deepEqual(seen, [
        [newer, 'narration', 1_000, 0],
        [newer, 'question', 6_000, 1],
        [newer, 'answer', 7_000, 1],
        [older, 'narration', 1_000, 0],
      ])
      for (const { text, start, end } of body.matches) assert.equal(text.slice(start, end).toLowerCase(), 'battery')
      assert.equal(body.nextCursor, undefined)
    }))

  test('the words are taken as they are, never as a pattern; letters beyond ASCII are caseless too', () =>
    withService(open, async (app) => {
      const { search } = await twoRuns(app)
      assert.equal((await search({ q: '100% (REALLY)?' })).body.count, 1)
      assert.equal((await search({ q: '.*' })).body.count, 0)
      assert.equal((await search({ q: '%' })).body.count, 1)
      assert.equal((await search({ q: 'GRÖSSE' })).body.count, 0)
      assert.equal((await search({ q: 'GRÖ' })).body.count, 1)
      assert.equal((await search({ q: '  ' })).status, 400)
      assert.equal((await search({})).status, 400)
    }))

  test('pages of one are the whole list, each match once, and a cursor of another search is refused', () =>
    withService(open, async (app) => {
      const { search } = await twoRuns(app)
      const whole = (await search({ q: 'e', limit: '100' })).body.matches
      const paged: unknown[] = []
      for (let cursor: string | undefined, page = 0; page < 30; page++) {
        const { body } = await search({ q: 'e', limit: '1', ...(cursor && { cursor }) })
        paged.push(...body.matches)
        cursor = body.nextCursor
        if (cursor === undefined) break
      }
      assert.ok(whole.length > 6)
      assert.deepEqual(paged, whole)
      const { nextCursor: cursor } = (await search({ q: 'e', limit: '1' })).body
      assert.equal((await search({ q: 'a', cursor })).status, 400)
    }))

  test('a page without a match goes on where more runs are left, and none is lost', () =>
    withService(open, async (app) => {
      const { sessionId, search } = await twoRuns(app)
      for (let n = 1; n <= 120; n++) {
        await holdRun(app.store, {
          accountId: app.accountId,
          sessionId,
          startedAt: start + 3_600_000 + n,
          events: said('x', 0, 'Nothing here.'),
        })
      }
      let found = 0
      let pages = 0
      for (let cursor: string | undefined; ;) {
        const { body } = await search({ q: 'battery', ...(cursor && { cursor }) })
        found += body.count
        pages++
        cursor = body.nextCursor
        if (cursor === undefined) break
      }
      assert.deepEqual([found, pages], [4, 3])
    }))

  test('a rehearsal is searched only where it is asked for, by its kind or its id', () =>
    withService(open, async (app) => {
      const { rehearsal, newer, search } = await twoRuns(app)
      const runsOf = async (query: Record<string, string>) => [
        ...new Set((await search({ q: 'battery', ...query })).body.matches.map((match: { runId: string }) => match.runId)),
      ]
      assert.deepEqual(await runsOf({ kind: 'rehearsal' }), [rehearsal])
      assert.deepEqual(await runsOf({ runId: rehearsal.toUpperCase() }), [rehearsal])
      assert.deepEqual(await runsOf({ runId: newer }), [newer])
    }))

  test('a transcript tells what each slide showed, and the place of each entry in the log', () =>
    withService(open, async (app) => {
      const { sessionId, newer } = await twoRuns(app)
      const { body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/runs/${newer}/transcript`)
      assert.deepEqual(
        body.entries.map(({ seq, type }: { seq: number; type: string }) => `${seq} ${type}`),
        ['1 slide', '2 narration', '4 slide', '5 narration', '7 question', '8 answer'],
      )
      assert.deepEqual(body.entries[2].slide, { id: 'slide-1', text: 'Cost', imageUrl: null })
      assert.equal(body.entries[5].questionId, body.entries[4].questionId)
    }))
})
