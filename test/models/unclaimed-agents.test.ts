// What costs the operator money is not for an agent that nobody vouches for: no model, no voice, no recognition, before a person claims
// it; all of it at once afterwards, without a restart. On both stores, against servers that speak the providers' protocols.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { a2uiCatalog } from '../../server/mcp/catalogue.ts'
import { claimStranger, registerStranger } from '../support/agents-of-nobody.ts'
import { joinTalk } from '../support/attendee.ts'
import { eventually, settle } from '../support/clock.ts'
import { line, startModelServer } from '../support/model-server.ts'
import { withService } from '../support/service.ts'
import { startSpeechServer } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

const slides = [{ textContent: 'Cost\n- The system costs 112 EUR per kWh\n- It pays back in 6.5 years' }]
const talk = { title: 'Grid storage', isLive: true, slides }
const webm = new Uint8Array(Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(2_000)]))
const draws = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: [a2uiCatalog] } } } }

eachStore((_, open) => {
  test('a stranger gets no model, no voice and no recognition; the claim opens all three without a restart', async () => {
    const model = await startModelServer(() => ({ pieces: [line('The system costs 112 EUR per kWh.', 's1')] }))
    const speech = await startSpeechServer()
    const env = {
      ROSTRUM_LLM: `compatible:stub@${model.origin}/v1`,
      ROSTRUM_TTS: 'compatible:stub',
      ROSTRUM_TTS_BASE_URL: speech.baseUrl,
      ROSTRUM_TTS_API_KEY: 'sk',
      ROSTRUM_STT: 'compatible:whisper',
      ROSTRUM_STT_BASE_URL: speech.baseUrl,
      ROSTRUM_STT_API_KEY: 'sk',
    }
    try {
      await withService(
        open,
        async (app) => {
          const agent = await registerStranger(app)
          const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', talk, agent.token)).body
          const at = `/api/v1/agent/sessions/${sessionId}`
          /** Everything that would reach a provider; gives how each was answered. */
          const tryAll = async () => {
            const room = await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)
            const ada = await joinTalk(app, slug)
            await ada.act('control', { action: 'start' })
            await ada.act('questions', { text: 'What does the system cost?' })
            await ada.until('answering').catch(() => undefined)
            await app.clock.advance(5_000)
            await settle()
            const heard = await app.request(`/api/v1/runs/${ada.runId}/utterances`, {
              method: 'POST',
              headers: { Authorization: `Bearer ${ada.token}`, 'Content-Type': 'audio/webm' },
              body: webm,
            })
            await ada.close()
            const script = await app.api('GET', `${at}/script`, undefined, agent.token)
            const clip = await app.api('POST', `${at}/script/${script.body.beats[0].beatId}/clip`, {}, agent.token)
            const asked = await app.api('POST', '/api/v1/pap/query', { message: 'What does the system cost?', sessionId }, agent.token)
            const written = await app.api('POST', `${at}/script/proposals`, { slideId: script.body.slides[0].slideId }, agent.token)
            const params = { name: 'get_session', arguments: { sessionId }, _meta: draws }
            await app.api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, agent.token)
            return {
              voices: room.body.voices,
              heard: heard.status,
              clip: clip.body.audioUrl !== null,
              reply: asked.body.reply,
              written: written.status,
            }
          }
          assert.deepEqual(await tryAll(), {
            voices: { tts: false, stt: false },
            heard: 404,
            clip: false,
            reply: 'The system costs 112 EUR per kWh.',
            written: 403,
          })
          await settle()
          assert.deepEqual([model.requests.length, speech.requests.length], [0, 0])
          assert.deepEqual(await app.store.read.selectFrom('clips').selectAll().execute(), [])

          await claimStranger(app, agent)
          // The script is said ahead, though nobody has opened the room again.
          await eventually(async () =>
            (await app.store.read.selectFrom('clips').select('state').execute()).some(({ state }) => state === 'ready'),
          )
          const { reply, ...after } = await tryAll()
          assert.deepEqual(after, { voices: { tts: true, stt: true }, heard: 200, clip: true, written: 200 })
          assert.equal(reply, 'The system costs 112 EUR per kWh.')
          const asked = model.requests.map(({ body }) => body)
          assert.ok(
            asked.some((body) => body.includes('What does the system cost?')),
            'an answer was asked for',
          )
        },
        env,
      )
    } finally {
      await model.close()
      await speech.close()
    }
  })
})
