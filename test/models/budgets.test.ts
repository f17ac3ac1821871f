// What an account may spend in a day on models and speech: at the limit the quoting answer and the browser's speech, told once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBudgets } from '../../server/sessions/usage.ts'
import { joinTalk } from '../support/attendee.ts'
import { eventually, settle } from '../support/clock.ts'
import { line, startModelServer } from '../support/model-server.ts'
import { type TestService, withService } from '../support/service.ts'
import { startSpeechServer, wavOf } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

const dayMs = 86_400_000
const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [{ textContent: 'Cost\n- The system costs 112 EUR per kWh\n- It pays back in 6.5 years' }],
}

const usageOf = async (app: TestService) => (await app.api('GET', '/api/v1/agent/usage')).body.today
const told = async (app: TestService) => {
  const rows = await app.store.read.selectFrom('audit').select(['account_id', 'data']).where('action', '=', 'budget.reached').execute()
  return rows.map(({ data }) => JSON.parse(data ?? '{}') as { budget: string; limit: number })
}

/** Makes what was spent a day old. */
const yesterday = (app: TestService) => app.store.write((tx) => tx.updateTable('spending').set({ day: '2026-11-19' }).execute())

eachStore((_, open) => {
  test('model calls end at the budget of the day, questions are then answered by quotes, and the account is told once', async () => {
    const model = await startModelServer(() => ({ pieces: [line('Installed, the system costs 112 EUR per kWh.', 's1')] }))
    await withService(
      open,
      async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
        const ask = async () => {
          const message = 'What does the system cost?'
          return (await app.api('POST', '/api/v1/pap/query', { sessionId: body.sessionId, message })).body
        }
        for (let i = 0; i < 2; i++) assert.match((await ask()).reply, /^Installed/)
        for (let i = 0; i < 3; i++) {
          const answer = await ask()
          assert.doesNotMatch(answer.reply, /^Installed/)
          assert.match(answer.reply, /112 EUR per kWh/)
          assert.equal(answer.outcome, 'answered')
        }
        assert.equal(model.requests.length, 2)
        const usage = await usageOf(app)
        assert.deepEqual(usage.modelCalls, { limit: 2, used: 2 })
        assert.equal(usage.resetsAt.slice(10), 'T00:00:00.000Z')
        assert.deepEqual(await told(app), [{ budget: 'llm', limit: 2 }])
        // Nor are words proposed for the script, and why is said.
        const at = `/api/v1/agent/sessions/${body.sessionId}/script`
        const { slideId } = (await app.api('GET', at)).body.slides[0]
        const refused = await app.api('POST', `${at}/proposals`, { slideId })
        assert.deepEqual([refused.status, refused.body.code], [402, 'quota_exceeded'])
        assert.equal(model.requests.length, 2)
        await yesterday(app)
        assert.match((await ask()).reply, /^Installed/)
        assert.equal((await usageOf(app)).modelCalls.used, 1)
      },
      { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1`, ROSTRUM_LLM_BUDGET: '2' },
    ).finally(() => void model.close())
  })

  test('the voice says no more characters than the budget of the day, and goes on the next day', async () => {
    const speech = await startSpeechServer()
    await withService(
      open,
      async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
        const said = () => speech.requests.reduce((sum, { body: { input = '' } }) => sum + input.length, 0)
        await eventually(async () => (await told(app)).length === 1)
        await settle()
        assert.ok(said() > 0 && said() <= 100, String(said()))
        assert.deepEqual((await usageOf(app)).spokenCharacters, { limit: 100, used: said() })
        // The talk is given: what has no clip is the browser's.
        const ada = await joinTalk(app, body.slug)
        await ada.act('control', { action: 'start' })
        await ada.until('closing')
        const beats = ada.messages.filter(({ event, data }) => event === 'beat' && data.phase === 'start')
        assert.ok(beats.some(({ data }) => data.audioUrl === undefined || data.audioUrl === null))
        await ada.close()
        assert.deepEqual(await told(app), [{ budget: 'tts', limit: 100 }])
        const waiting = await app.store.read.selectFrom('jobs').select(['due_at', 'failures']).where('kind', '=', 'clip').execute()
        assert.ok(waiting.length > 0)
        const midnight = (Math.floor(app.clock.now() / dayMs) + 1) * dayMs
        assert.ok(waiting.every(({ due_at, failures }) => due_at === midnight && failures === 0))
      },
      { ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl, ROSTRUM_TTS_BUDGET: '100' },
    ).finally(() => void speech.close())
  })

  test('recognised seconds end at the budget of the day; a recording that does not tell its length counts as long as it may be', async () => {
    const speech = await startSpeechServer()
    await withService(
      open,
      async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
        const ada = await joinTalk(app, body.slug)
        const send = async (bytes: Uint8Array) => {
          const headers = { Authorization: `Bearer ${ada.token}`, 'Content-Type': 'audio/wav' }
          return app.request(`/api/v1/runs/${ada.runId}/utterances`, { method: 'POST', headers, body: new Uint8Array(bytes) })
        }
        const webm = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(60_000)])
        assert.equal((await send(wavOf(2_500))).status, 200)
        assert.equal((await send(webm)).status, 200)
        const refused = await send(wavOf(3_000))
        assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
        assert.match(refused.body.detail, /browser/)
        assert.equal((await send(wavOf(2_000))).status, 200)
        assert.deepEqual((await usageOf(app)).recognisedSeconds, { limit: 35, used: 35 })
        assert.equal(speech.requests.length, 3)
        await ada.close()
      },
      { ROSTRUM_STT: 'compatible:whisper', ROSTRUM_STT_BASE_URL: speech.baseUrl, ROSTRUM_STT_BUDGET: '35' },
    ).finally(() => void speech.close())
  })

  test('of 50 calls at once no more pass than the budget has, and one is told', async () => {
    await withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
      let reached = 0
      const parts = { clock: app.clock, limits: { llm: 20, tts: null, stt: 0 }, onFailure: assert.fail }
      const afford = createBudgets({ ...parts, store: app.store, onReached: async () => void reached++ })
      const took = await Promise.all(Array.from({ length: 50 }, () => afford(body.sessionId, 'llm', 1)))
      assert.equal(took.filter(Boolean).length, 20)
      assert.equal(reached, 1)
      assert.equal(await afford(body.sessionId, 'tts', 1_000_000_000), true)
      assert.equal(await afford(body.sessionId, 'stt', 1), false)
      assert.equal(await afford('00000000-0000-4000-8000-000000000000', 'tts', 1), false)
    })
  })
})
