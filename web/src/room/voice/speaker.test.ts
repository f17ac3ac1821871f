import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualWebClock } from '../../../test/manual-web-clock.ts'
import { createSpeaker } from './speaker.ts'
import { chooseVoice, type Synth, synthVoice } from './synth-voice.ts'
import { inOtherWords, silentVoice, type Utterance } from './voice.ts'

type Fault = 'none' | 'no_start' | 'no_end' | 'error' | 'blocked' | 'late'

const voice = (lang: string, localService: boolean) => ({ lang, localService, default: false, name: lang, voiceURI: lang })

/** An engine that misbehaves as told; a piece takes 1 s. */
function world(fault: Fault, { sound = true, followed = '' } = {}) {
  const clock = manualWebClock()
  const log: string[] = []
  const spoken: string[] = []
  const starts: number[] = []
  let current: SpeechSynthesisUtterance | null = null
  const synth: Synth = {
    getVoices: () => [voice('en-US', true)],
    cancel: () => (current = null),
    speak(utterance) {
      current = utterance
      spoken.push(utterance.text)
      const fire = (name: 'onstart' | 'onend', after: number) =>
        clock.after(after, () => current === utterance && (utterance[name] as ((event: object) => void) | null)?.({}))
      if (fault === 'blocked' || fault === 'error') {
        clock.after(5, () =>
          utterance.onerror?.({ error: fault === 'blocked' ? 'not-allowed' : 'synthesis-failed' } as SpeechSynthesisErrorEvent),
        )
        return
      }
      if (fault !== 'no_start') fire('onstart', fault === 'late' ? 1_500 : 5)
      if (fault !== 'no_start' && fault !== 'no_end') fire('onend', fault === 'late' ? 2_500 : 1_000)
    },
  }
  const create = (text: string) => ({ text }) as SpeechSynthesisUtterance
  const own = synthVoice({ clock, synth, create, language: 'en' })
  const other = followed === '' ? null : inOtherWords(own, followed)
  const speaker = createSpeaker({
    clock,
    voices: { clip: null, synth: own, silent: silentVoice(clock), followed: () => other },
    onStart: (utterance) => {
      starts.push(clock.elapsed())
      log.push(`start ${utterance.id}`)
    },
    onProgress: () => undefined,
    onDone: (utterance, outcome, chars) => log.push(`${outcome} ${utterance.id} ${chars}`),
    onNotice: (notice) => log.push(`notice ${notice}`),
  })
  speaker.setSound(sound)
  log.length = 0
  return { clock, speaker, log, spoken, starts }
}

const text = 'A battery shifts the evening peak, so the plant never starts.'
const say = (id: string, more: Partial<Utterance> = {}): Utterance => ({ id, text, estMs: 1_000, speed: 1, from: 0, ...more })

for (const fault of ['none', 'no_start', 'no_end', 'error', 'blocked', 'late'] as const) {
  test(`speech that answers with "${fault}" still ends each sentence once, in order`, async () => {
    const { clock, speaker, log } = world(fault)
    for (const id of ['b1', 'b2', 'b3', 'b4', 'b5']) speaker.say(say(id))
    await clock.advance(60_000)
    const ends = log.filter((line) => line.startsWith('ended'))
    assert.deepEqual(
      ends,
      ['b1', 'b2', 'b3', 'b4', 'b5'].map((id) => `ended ${id} ${text.length}`),
    )
    if (fault === 'blocked') assert.ok(log.includes('notice blocked'))
    if (fault === 'error' || fault === 'no_start') assert.ok(log.includes('notice no_voice'), 'three faults turn to silence')
  })
}

test('without sound a sentence takes its estimated time', async () => {
  const { clock, speaker, log } = world('none', { sound: false })
  speaker.say(say('b1', { estMs: 2_000 }))
  await clock.advance(1_990)
  assert.deepEqual(log, ['start b1'])
  await clock.advance(20)
  assert.equal(log.at(-1), `ended b1 ${text.length}`)
})

test('stop silences at once, reports how far it came, and drops what waits', async () => {
  const { clock, speaker, log, spoken } = world('none')
  speaker.say(say('b1'))
  speaker.say(say('b2'))
  await clock.advance(505)
  speaker.stop()
  const [outcome, id, chars] = log.at(-1)?.split(' ') ?? []
  assert.deepEqual([outcome, id], ['cut', 'b1'])
  assert.ok(Number(chars) > 20 && Number(chars) < 40, String(chars))
  await clock.advance(5_000)
  assert.equal(log.filter((line) => line.startsWith('ended')).length, 0)
  assert.equal(spoken.length, 1)
})

test('turning sound on in mid-sentence goes on from the clause, not from the start', async () => {
  const { clock, speaker, spoken } = world('none', { sound: false })
  speaker.say(say('b1', { estMs: 2_000 }))
  await clock.advance(1_500)
  speaker.setSound(true)
  await clock.advance(10)
  assert.deepEqual(spoken, ['so the plant never starts.'])
})

test('a long sentence is given to the engine in pieces of at most 180 characters', async () => {
  const { clock, speaker, spoken } = world('none')
  speaker.say(say('b1', { text: Array.from({ length: 80 }, (_, i) => `word${i}`).join(' '), estMs: 9_000 }))
  await clock.advance(30_000)
  assert.ok(spoken.length > 2)
  for (const piece of spoken) assert.ok(piece.length <= 180)
})

test('in a broadcast a sentence more than two seconds late starts at its clause, and the newest sentence wins', async () => {
  const { clock, speaker, spoken } = world('none')
  speaker.say(say('b1', { dueAt: clock.now() - 3_000, estMs: 4_000 }))
  await clock.advance(10)
  assert.deepEqual(spoken, ['so the plant never starts.'])
  speaker.say(say('b2', { dueAt: clock.now() }))
  speaker.say(say('b3', { dueAt: clock.now() }))
  await clock.advance(10_000)
  assert.equal(spoken.length, 2)
})

test('the voice is local and of the language where there is one', () => {
  const voices = [voice('de-DE', true), voice('en-GB', false), voice('en-US', true)]
  assert.equal(chooseVoice(voices, 'en')?.lang, 'en-US')
  assert.equal(chooseVoice(voices, 'en-GB')?.lang, 'en-US')
  assert.equal(chooseVoice([voice('de-DE', true)], 'ja'), undefined)
})

test('in the language that is followed its words are said, and what was heard is told of the sentence', async () => {
  const followed = 'Eine Batterie verschiebt die Abendspitze um vier Stunden, und das Kraftwerk läuft gar nicht erst an.'
  const { clock, speaker, log, spoken } = world('none', { followed })
  speaker.say(say('b1', { audioUrl: 'https://x.example/clip.mp3' }))
  await clock.advance(4_000)
  assert.deepEqual(spoken.join(' '), followed)
  assert.deepEqual(log, ['start b1', `ended b1 ${text.length}`])
  const { clock: late, speaker: again, log: told } = world('no_end', { followed })
  again.say(say('b1'))
  await late.advance(500)
  again.stop()
  const chars = Number(told.at(-1)?.split(' ').at(-1))
  assert.ok(chars > 20 && chars < 40, `${chars} of ${text.length}`)
})
