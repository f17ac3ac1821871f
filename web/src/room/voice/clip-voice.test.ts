import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualWebClock } from '../../../test/manual-web-clock.ts'
import { captionChunks, chunkAt } from '@rostrum/contract/captions'
import { clipVoice } from './clip-voice.ts'
import { createSpeaker } from './speaker.ts'
import { silentVoice, type Utterance } from './voice.ts'

type Fault = 'none' | 'never' | 'error' | 'blocked' | 'stalls'

/** An audio element that plays in the time of the clock, tells it four times a second, and misbehaves as told. */
function world(fault: Fault = 'none', stallsAtMs = 1_000) {
  const clock = manualWebClock()
  const plays: { from: number; rate: number; src: string }[] = []
  let since = 0
  let base = 0
  let isPlaying = false
  let run = 0
  const audio = {
    src: '',
    playbackRate: 1,
    duration: Number.NaN,
    onplaying: null as (() => void) | null,
    ontimeupdate: null as (() => void) | null,
    onended: null as (() => void) | null,
    onerror: null as (() => void) | null,
    get currentTime() {
      const at = isPlaying ? base + ((clock.elapsed() - since) / 1_000) * audio.playbackRate : base
      return Math.min(at, fault === 'stalls' ? stallsAtMs / 1_000 : Infinity)
    },
    set currentTime(seconds: number) {
      base = seconds
    },
    pause() {
      base = audio.currentTime
      isPlaying = false
      run++
    },
    play() {
      plays.push({ from: base, rate: audio.playbackRate, src: audio.src })
      if (fault === 'blocked') return Promise.reject(new DOMException('no', 'NotAllowedError'))
      const mine = ++run
      if (fault === 'never') return Promise.resolve()
      clock.after(20, () => {
        if (mine !== run) return
        if (fault === 'error') return audio.onerror?.()
        isPlaying = true
        since = clock.elapsed()
        audio.duration = 3
        audio.onplaying?.()
        const tick = () => {
          if (mine !== run) return
          audio.ontimeupdate?.()
          if (audio.currentTime < 3) return void clock.after(250, tick)
          isPlaying = false
          base = 0
          audio.onended?.()
        }
        clock.after(250, tick)
      })
      return Promise.resolve()
    },
  }
  const log: string[] = []
  const shown: { chars: number }[] = []
  const cuts: { chars: number; ms: number | undefined }[] = []
  const speaker = createSpeaker({
    clock,
    // The voice touches these members of the element alone.
    voices: { clip: clipVoice({ clock, audio: audio as unknown as HTMLAudioElement }), synth: null, silent: silentVoice(clock) },
    onStart: ({ id }) => log.push(`start ${id}`),
    onProgress: (_, chars) => shown.push({ chars }),
    onDone(utterance, outcome, chars, ms) {
      log.push(`${outcome} ${utterance.id}`)
      if (outcome === 'cut') cuts.push({ chars, ms })
    },
    onNotice: (notice) => log.push(`notice ${notice}`),
  })
  speaker.setSound(true)
  log.length = 0
  return { clock, audio, speaker, log, plays, shown, cuts, isPlaying: () => isPlaying }
}

const text = 'A battery shifts the evening peak, so the plant never starts, and nobody pays for its smoke.'
const say = (id: string, more: Partial<Utterance> = {}): Utterance => ({
  id,
  text,
  estMs: 3_000,
  speed: 1,
  from: 0,
  audioUrl: `/media/${id}.mp3`,
  audioMs: 3_000,
  ...more,
})

for (const fault of ['none', 'never', 'error', 'blocked', 'stalls'] as const)
  test(`clips of which each is "${fault}" end once, in order, and the talk goes on`, async () => {
    const { clock, speaker, log } = world(fault)
    for (const id of ['b1', 'b2', 'b3']) speaker.say(say(id))
    await clock.advance(30_000)
    assert.deepEqual(
      log.filter((line) => line.startsWith('ended')),
      ['ended b1', 'ended b2', 'ended b3'],
    )
    if (fault === 'blocked') assert.ok(log.includes('notice blocked'))
  })

test('the caption follows the clip: never more than 300 ms of it behind or ahead', async () => {
  for (const speed of [0.75, 1, 2]) {
    const { clock, speaker, audio, shown } = world()
    speaker.say(say('b1', { speed, estMs: 3_000 / speed }))
    let worst = 0
    for (let step = 0; step < 150; step++) {
      await clock.advance(10)
      const last = shown.at(-1)
      if (last === undefined) continue
      worst = Math.max(worst, Math.abs((audio.currentTime / 3) * text.length - last.chars) / text.length / (speed / 3_000))
    }
    assert.ok(shown.length > 3 && worst <= 300, `${Math.round(worst)} ms at speed ${speed}`)
    const chunks = captionChunks(text)
    assert.ok(shown.every(({ chars }) => chunkAt(chunks, chars) !== undefined))
  }
})

test('a stop silences in the same turn, tells the millisecond, and the clip goes on there', async () => {
  const { clock, speaker, plays, cuts, isPlaying } = world()
  speaker.say(say('b1', { speed: 2, estMs: 1_500 }))
  await clock.advance(620)
  speaker.stop()
  assert.equal(isPlaying(), false)
  assert.deepEqual(
    cuts.map(({ ms }) => ms),
    [1_200],
  )
  speaker.say(say('b1', { from: 35, fromMs: 1_200 }))
  assert.equal(plays.at(-1)?.from, 1.2)
})

test('without a millisecond a clip goes on at its clause, scaled to its length, at the speed of the run', () => {
  const { speaker, plays } = world()
  speaker.say(say('b1', { from: 35, speed: 0.75 }))
  assert.ok(Math.abs((plays[0]?.from ?? 0) - (3 * 35) / text.length) < 0.01)
  assert.equal(plays[0]?.rate, 0.75)
})

test('wherever a clip is stopped, what is told to have been given was given, and nothing is told afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 4_000 }), fc.constantFrom(0.75, 1, 1.5, 2), async (afterMs, speed) => {
      const { clock, speaker, log, cuts } = world()
      speaker.say(say('b1', { speed, estMs: 3_000 / speed }))
      await clock.advance(afterMs)
      speaker.stop()
      const before = [...log]
      await clock.advance(10_000)
      assert.deepEqual(log, before)
      const [cut] = cuts
      if (cut === undefined) assert.ok(log.includes('ended b1'))
      else assert.ok((cut.ms ?? 0) <= Math.max(0, afterMs - 20) * speed + 1 && cut.chars <= text.length)
    }),
    { numRuns: 60 },
  )
})
