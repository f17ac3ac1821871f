// The script put into words by a model ahead of the talk: checked sentence by sentence, and the host has the last word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  text: string
}

eachStore((_, open) => {
  const guarantee = (
    name: string,
    fn: (app: TestService, model: Awaited<ReturnType<typeof startModelServer>>, at: string) => Promise<void>,
  ) =>
    test(name, async () => {
      const model = await startModelServer(writes)
      try {
        const env = { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1` }
        await withService(
          open,
          async (app) => {
            const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
            await fn(app, model, `/api/v1/agent/sessions/${body.sessionId}/script`)
          },
          env,
        )
      } finally {
        await model.close()
      }
    })
  guarantee(
    'what the slide says in other words is proposed; a lie, a word of the notes and a sentence too many are not',
    async (app, model, at) => {
      const { slides } = (await app.api('GET', at)).body
      const propose = async (index: number, wish: object = {}) => {
        const { body } = await app.api('POST', `${at}/proposals`, { slideId: slides[index].slideId, ...wish })
        return (body.proposals as { text: string }[]).map(({ text }) => text)
      }
      assert.deepEqual(await propose(0), ['With a battery the evening peak shifts by four hours.'])
      assert.deepEqual(await propose(1), ['Installed, it costs 112 EUR per kWh.'])
      assert.match(model.requests[0]?.body ?? '', /quokka/)
      await propose(0, { withNotes: false })
      assert.ok(!(model.requests[2]?.body ?? '').includes('quokka'))
    },
  )

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

  test('without a model the script says so, and writing is refused in words', () =>
    withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
      const at = `/api/v1/agent/sessions/${body.sessionId}/script`
      const { slides, hasModel } = (await app.api('GET', at)).body
      assert.equal(hasModel, false)
      const asked = { slideId: slides[1].slideId }
      const refused = await app.api('POST', `${at}/proposals`, asked)
      assert.equal(refused.status, 409)
      assert.match(refused.body.detail, /ROSTRUM_LLM/)
      assert.equal((await app.api('POST', `${at}/proposals`, asked, await app.newKey())).status, 404)
    }))
})
