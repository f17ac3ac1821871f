// A voice and ears on this machine, in the real engine: models so small that they are written here, loaded, run and broken.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '@rostrum/base/clock'
import { samplesOf, wavFrom } from '../../server/voice/audio.ts'
import { openLocalEars, openLocalVoice } from '../../server/voice/local-speech.ts'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { openService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'
import { letterMs, tinyVoiceRate, writeTinyEars, writeTinyVoice } from '../support/tiny-speech.ts'

const root = mkdtempSync(join(tmpdir(), 'rostrum-speech-'))
after(() => rmSync(root, { recursive: true, force: true }))
const voiceFolder = writeTinyVoice(join(root, 'voice'))
const earsFolder = writeTinyEars(join(root, 'ears'))

/** How often it swings through zero in a second, by half: of a pure tone its pitch. */
function pitchOf(bytes: Uint8Array): number {
  const { samples, sampleRate } = samplesOf(bytes) ?? { samples: new Float32Array(1), sampleRate: 1 }
  const crossings = samples.reduce((count, sample, at) => count + (sample >= 0 !== (samples[at - 1] ?? 0) >= 0 ? 1 : 0), 0)
  return crossings / 2 / (samples.length / sampleRate)
}

function tones(...parts: readonly (readonly [hz: number, ms: number])[]): Uint8Array {
  const samples = parts.flatMap(([hz, ms]) => Array.from({ length: ms * 16 }, (_, at) => 0.3 * Math.sin((2 * Math.PI * hz * at) / 16_000)))
  return wavFrom(Float32Array.from(samples), 16_000)
}

test('a sentence becomes a WAV of its length, in the voice that is asked for, and several at once keep apart', async () => {
  const voice = openLocalVoice(voiceFolder, 'alloy', systemClock)
  try {
    assert.deepEqual([voice.name, voice.kind, voice.speakers, voice.voiceByDefault], ['sherpa:voice', 'VITS', ['0', '1'], '0'])
    const [low, high, other] = await Promise.all([voice.say('aaaa', '0'), voice.say('zzzz', '0'), voice.say('aaaa', '1')])
    for (const clip of [low, high, other]) assert.deepEqual([clip.extension, clip.ms], ['wav', 4 * letterMs])
    const around = (bytes: Uint8Array, hz: number) => assert.ok(Math.abs(pitchOf(bytes) - hz) < 12, `${pitchOf(bytes)} Hz for ${hz}`)
    around(low.bytes, 160 + 40)
    around(high.bytes, 160 + 26 * 40)
    around(other.bytes, (160 + 40) * 1.5)
    around((await voice.say('aaaa', 'a voice of another maker')).bytes, 200)
    assert.equal(samplesOf(low.bytes)?.sampleRate, tinyVoiceRate)
  } finally {
    voice.close?.()
  }
})

test('a file that is no model ends the process of the engine, never the server, and the words say why', async () => {
  const broken = writeTinyVoice(join(root, 'broken'))
  writeFileSync(join(broken, 'tokens.txt'), 'two letters in one token 1\n')
  const voice = openLocalVoice(broken, '0', systemClock)
  try {
    await assert.rejects(voice.warm(), /^SpeechFault: sherpa:broken: .*tokens/i)
    await assert.rejects(voice.say('Hello', '0'), /sherpa:broken/)
  } finally {
    voice.close?.()
  }
})

test('a recording becomes words, silence none, and what is no WAV of 16 bits is not taken', async () => {
  const ears = openLocalEars(earsFolder, systemClock)
  try {
    const hear = (bytes: Uint8Array) => ears.hear({ bytes, kind: 'wav', language: 'en' })
    assert.equal(await hear(tones([250, 400])), 'low')
    assert.equal(await hear(tones([3_000, 400])), 'high')
    assert.equal(await hear(tones([0, 400])), '')
    assert.deepEqual(ears.measure(tones([250, 400])), { kind: 'wav', ms: 400 })
    assert.equal(ears.measure(Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(2_000)])), undefined)
  } finally {
    ears.close?.()
  }
})

async function newTalk(app: TestService): Promise<string> {
  const slides = [{ textContent: 'Pumps\n- They are quiet enough for any bedroom' }]
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps', slides })
  await app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`, {})
  return String(body.slug)
}

eachStore((_, open) => {
  test('a talk is said ahead by a voice of this machine, and a spoken question is heard by ears of this machine', () =>
    withService(
      open,
      async (app) => {
        const slug = await newTalk(app)
        await eventually(async () => {
          const all = await app.store.read.selectFrom('clips').select('state').execute()
          return all.length > 0 && all.every(({ state }) => state === 'ready')
        })
        const room = await app.request(`/api/v1/rooms/${slug}`)
        assert.deepEqual(room.body.voices, { tts: true, stt: true })
        const ada = await joinTalk(app, slug)
        await ada.act('control', { action: 'start' })
        await ada.until('closing')
        const begun = ada.messages.filter(({ event, data }) => event === 'beat' && data.phase === 'start').map(({ data }) => data)
        assert.ok(begun.length > 1 && begun.every(({ audioUrl }) => /\/media\/[0-9a-f]{64}\.wav$/.test(String(audioUrl))))
        const send = (body: Uint8Array) =>
          app.request(`/api/v1/runs/${ada.runId}/utterances`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${ada.token}`, 'Content-Type': 'audio/wav' },
            body: new Uint8Array(body),
          })
        assert.deepEqual((await send(tones([250, 400]))).body, { text: 'low' })
        const webm = await send(Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(2_000)]))
        assert.deepEqual([webm.status, webm.body.detail], [415, 'Send a recording as WAV of 16 bits.'])
        await ada.close()
      },
      { ROSTRUM_TTS: `sherpa:${voiceFolder}`, ROSTRUM_STT: `sherpa:${earsFolder}` },
    ))
})

test('a folder that is not there is said at the start, and the room offers what the browser has', async () => {
  const env = { ROSTRUM_TTS: `sherpa:${join(root, 'none')}`, ROSTRUM_STT: 'sherpa:not-installed' }
  const app = await openService({ env })
  try {
    const room = await app.request(`/api/v1/rooms/${await newTalk(app)}`)
    assert.deepEqual(room.body.voices, { tts: false, stt: false })
  } finally {
    await app.close()
  }
})
