// The script put into words by a model ahead of the talk: checked sentence by sentence, the host has the last word, and no model is
// called while the talk is given.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { ModelRequest } from '../support/model-server.ts'
import { startModelServer } from '../support/model-server.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Why store power?\n- A battery shifts the evening peak by four hours', agentNotes: 'Sound calm. The margin is quokka.' },
    {
      textContent:
        'What it costs\n- 112 EUR per kWh is what it costs when it is installed\n- It pays back in 6.5 years, as the plant of the town has shown\n- Every rack has a gas sensor that tells the crew of a leak',
    },
  ],
}

/** Rewrites the first sentence well, lies in the second, tells the notes in the third, and adds one that nobody asked for. */
function writes({ body }: ModelRequest) {
  const of = (n: number, text: string) => `${JSON.stringify({ n, text, sources: ['s'] })}\n`
  if (body.includes('evening peak'))
    return { pieces: [of(1, 'With a battery the evening peak shifts by four hours.'), of(9, 'The battery shifts the peak.')] }
  return {
    pieces: [
      of(1, 'Installed, it costs 112 EUR per kWh.'),
      of(2, 'It pays back in 2 years.'),
      of(3, 'Every rack has a quokka gas sensor.'),
    ],
  }
}

interface ShownBeat {
  beatId: string
  kind: string
  text: string
  author?: string
}

eachStore((_, open) => {
  const guarantee = (
    name: string,
    fn: (app: TestService, model: Awaited<ReturnType<typeof startModelServer>>, at: string, slug: string) => Promise<void>,
  ) =>
    test(name, async () => {
      const model = await startModelServer(writes)
      try {
        const env = { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1` }
        await withService(
          open,
          async (app) => {
            const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
            await fn(app, model, `/api/v1/agent/sessions/${body.sessionId}/script`, body.slug)
          },
          env,
        )
      } finally {
        await model.close()
      }
    })
  const written = async (app: TestService, at: string) => {
    assert.equal((await app.api('POST', `${at}/write`)).status, 202)
    await eventually(async () => (await app.api('GET', at)).body.writing.state === 'idle')
    const { beats, writing } = (await app.api('GET', at)).body as { beats: ShownBeat[]; writing: Record<string, unknown> }
    return { writing, beats: beats.filter(({ kind }) => kind === 'narration') }
  }

  guarantee(
    'what the slide says in other words is taken; a lie, a word of the notes and a sentence too many are not',
    async (app, model, at) => {
      const plain = ((await app.api('GET', at)).body.beats as ShownBeat[]).filter(({ kind }) => kind === 'narration')
      const { beats, writing } = await written(app, at)
      assert.deepEqual(writing, { state: 'idle', slides: { done: 2, total: 2 }, written: 2, failed: 0 })
      assert.equal(model.requests.length, 2)
      assert.deepEqual(
        beats.map(({ text, author }) => [text, author]),
        [
          ['With a battery the evening peak shifts by four hours.', 'model'],
          ['Installed, it costs 112 EUR per kWh.', 'model'],
          [plain[2]?.text, undefined],
          [plain[3]?.text, undefined],
        ],
      )
      assert.ok(!JSON.stringify(beats).includes('quokka'))
    },
  )

  guarantee('an unchanged slide is not sent to the model again when the script is written anew', async (app, model, at) => {
    await written(app, at)
    assert.equal(model.requests.length, 2)
    const { writing } = await written(app, at)
    assert.deepEqual(writing, { state: 'idle', slides: { done: 0, total: 0 }, written: 0, failed: 0 })
    assert.equal(model.requests.length, 2)
    const deck = at.replace(/script$/, 'deck')
    const { slides } = (await app.api('GET', deck)).body
    await app.api('PATCH', `${deck}/slides/${slides[1].id}`, { textContent: `${talk.slides[1]?.textContent}\n- Lasts 20 years` })
    await written(app, at)
    assert.equal(model.requests.length, 3)
    assert.match(model.requests[2]?.body ?? '', /Lasts 20 years/)
    // Taken back, everything may be written again.
    await app.api('DELETE', `${at}/write`)
    await written(app, at)
    assert.equal(model.requests.length, 5)
  })

  guarantee('the notes are kept from the model where the host says so', async (app, model, at) => {
    assert.equal((await app.api('POST', `${at}/write`, { withNotes: false })).status, 202)
    await eventually(async () => (await app.api('GET', at)).body.writing.state === 'idle')
    assert.equal(model.requests.length, 2)
    assert.ok(!JSON.stringify(model.requests).includes('quokka'))
    await app.api('DELETE', `${at}/write`)
    await written(app, at)
    assert.match(JSON.stringify(model.requests.slice(2)), /quokka/)
  })

  guarantee('the host has the last word: their sentence stays, and what a model wrote can be taken back', async (app, _model, at) => {
    const plain = ((await app.api('GET', at)).body.beats as ShownBeat[]).filter(({ kind }) => kind === 'narration')
    const own = await app.api('PATCH', `${at}/${encodeURIComponent(plain[1]?.beatId ?? '')}`, { text: 'It is worth its price.' })
    assert.equal(own.body.author, 'host')
    const { beats } = await written(app, at)
    assert.deepEqual([beats[0]?.author, beats[1]?.text, beats[1]?.author], ['model', 'It is worth its price.', 'host'])
    assert.equal((await app.api('DELETE', `${at}/write`)).status, 200)
    const after = ((await app.api('GET', at)).body.beats as ShownBeat[]).filter(({ kind }) => kind === 'narration')
    assert.deepEqual([after[0]?.text, after[1]?.text], [plain[0]?.text, 'It is worth its price.'])
  })

  guarantee('what a model proposes for a slide is checked, stored nowhere, and said once the host has taken it', async (app, model, at) => {
    const { slides, beats } = (await app.api('GET', at)).body
    const asked = { slideId: slides[1].slideId, tone: 'lively', withNotes: false }
    const { status, body } = await app.api('POST', `${at}/proposals`, asked)
    assert.equal(status, 200, 'propose_script')
    const [first, ...others] = slides[1].sentences.filter(({ fixed }: { fixed?: true }) => fixed !== true)
    assert.deepEqual(body.proposals, [{ beatId: first.beatId, was: first.text, text: 'Installed, it costs 112 EUR per kWh.' }])
    assert.match(model.requests[0]?.body ?? '', /lively/)
    assert.deepEqual((await app.api('GET', at)).body.beats, beats)
    const sentences = [{ beatId: first.beatId, text: body.proposals[0].text }, ...others]
    const taken = slides.map(({ slideId, sentences: own }: { slideId: string; sentences: object[] }) => ({ slideId, sentences: own }))
    taken[1] = { slideId: slides[1].slideId, sentences: sentences.map(({ beatId, text }) => ({ beatId, text })) }
    const saved = await app.api('PUT', at, { slides: taken })
    const said = saved.body.slides[1].sentences.find(({ text }: ShownBeat) => text === body.proposals[0].text)
    // It rests on the words of the slide that the compiled one rested on.
    assert.deepEqual(said.sources, first.sources)
    model.act = () => ({ pieces: [], ends: 'refuse' })
    assert.equal((await app.api('POST', `${at}/proposals`, asked)).status, 503)
    assert.equal((await app.api('POST', `${at}/proposals`, { slideId: '00000000-0000-4000-8000-000000000000' })).status, 404)
  })

  guarantee('no model is called while the talk is given, and the room hears the written sentences', async (app, model, at, slug) => {
    await written(app, at)
    const before = model.requests.length
    const maya = await joinTalk(app, slug)
    await maya.act('control', { action: 'start' })
    await maya.until('closing')
    assert.equal(model.requests.length, before)
    const heard = maya.messages.flatMap(({ event, data }) => (event === 'beat' && data.phase === 'start' ? [String(data.text)] : []))
    assert.ok(heard.includes('Installed, it costs 112 EUR per kWh.'))
    await maya.close()
  })

  guarantee('a slide whose model fails stays as it was, and is counted', async (app, model, at) => {
    model.act = ({ body }) => (body.includes('evening peak') ? { pieces: [], ends: 'refuse' } : writes({ path: '', headers: {}, body }))
    const { writing, beats } = await written(app, at)
    assert.deepEqual(writing, { state: 'idle', slides: { done: 2, total: 2 }, written: 1, failed: 1 })
    assert.equal(beats[0]?.author, undefined)
  })

  test('without a model the script says so, and writing is refused in words', () =>
    withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
      const at = `/api/v1/agent/sessions/${body.sessionId}/script`
      assert.deepEqual((await app.api('GET', at)).body.writing, { state: 'off' })
      const refused = await app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/script/write`)
      assert.equal(refused.status, 409)
      assert.match(refused.body.detail, /ROSTRUM_LLM/)
      const { slides } = (await app.api('GET', at)).body
      assert.equal((await app.api('POST', `${at}/proposals`, { slideId: slides[1].slideId })).status, 409)
      assert.equal((await app.api('POST', `${at}/write`, undefined, await app.newKey())).status, 404)
    }))
})
