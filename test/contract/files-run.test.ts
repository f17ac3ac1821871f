// How many files of packages and server run for one act, counted by V8 once everything is warm: what a reader would have to open to follow it.
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { settle } from '../support/clock.ts'
import { openService, type TestService } from '../support/service.ts'

const root = `${pathToFileURL(join(import.meta.dirname, '../..')).href}/`
const sources = ['packages/', 'server/'].map((folder) => `${root}${folder}`)

/** The files of which a function was called while `act` ran. */
async function filesRun(act: () => Promise<void>): Promise<string[]> {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  // What is still under way of what came before, and what has run so far, is not of the act.
  await settle(200)
  await inspector.post('Profiler.takePreciseCoverage')
  await act()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  inspector.disconnect()
  const ran = result.filter(
    ({ url, functions }) => sources.some((folder) => url.startsWith(folder)) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  )
  return ran.map(({ url }) => url.slice(root.length)).toSorted((a, b) => a.localeCompare(b))
}

const slides = [
  'A battery shifts the evening peak by four hours',
  'A pump stores water in the upper lake',
  'A heated enclosure costs two percent',
].map((line, index) => ({
  textContent: `Part ${index + 1}\n- ${line}`,
  narration: `${line}. That is said at length, so that the talk goes on for a while.`,
}))

async function created({ api }: TestService, more: object = {}) {
  const { body, status, text } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', slides, ...more })
  assert.equal(status, 200, text)
  return body as { sessionId: string; slug: string }
}

test('files that run for create_session, and for a question until its answer is on another screen', async (t) => {
  const app = await openService()
  try {
    const bare = () => created(app, { slides: [] }).then(() => undefined)
    const withSlides = () => created(app).then(() => undefined)
    await bare()
    await withSlides()
    const [ofSession, ofDeck] = [await filesRun(bare), await filesRun(withSlides)]

    const { slug } = await created(app, { isLive: true, mode: 'broadcast' })
    const join = async () => (await app.api('POST', `/api/v1/rooms/${slug}/attendees`, {}, null)).body
    const [asker, other] = [await join(), await join()]
    const path = `/api/v1/runs/${String(asker.runId)}`
    const streams = [await app.stream(`${path}/stream`, asker.attendeeToken), await app.stream(`${path}/stream`, other.attendeeToken)]
    const ask = async (text: string) => {
      const id = crypto.randomUUID()
      await app.api('POST', `${path}/questions`, { id, text }, asker.attendeeToken)
      for (let turn = 0; turn < 400; turn++) {
        await settle()
        const told = (await streams[1]?.read()) ?? []
        if (told.some(({ event, data }) => event === 'answer' && data['questionId'] === id && data['phase'] === 'sentence')) return
        await app.clock.advance(250)
      }
      assert.fail('the answer did not come')
    }
    await app.clock.advance(1_000)
    await ask('How long does a battery shift the evening peak?')
    await app.clock.advance(12_000)
    const ofQuestion = await filesRun(() => ask('What does a heated enclosure cost?'))
    const counts = { create_session: ofSession, 'create_session with slides': ofDeck, question: ofQuestion }
    for (const [act, files] of Object.entries(counts)) t.diagnostic(`${act}: ${files.length} files: ${files.join(' ')}`)
    // What stands in docs/architecture.md, and a few that other work of the process may add.
    for (const [act, most] of Object.entries({ create_session: 45, 'create_session with slides': 45, question: 60 }))
      assert.ok(counts[act as keyof typeof counts].length <= most, act)
    for (const stream of streams) await stream.close()
  } finally {
    await app.close()
  }
})
