import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { follow, type Frame, learn, levelDbOf, silentRoom, type VoiceActivity, type VoiceCue } from './voice-activity.ts'

const quietDb = -80
const voiceDb = -20

interface Said {
  atMs: number
  cue: VoiceCue
}

function play(frames: readonly Frame[], start: VoiceActivity = silentRoom): { cues: Said[]; activity: VoiceActivity } {
  const cues: Said[] = []
  let activity = start
  for (const frame of frames) {
    const step = follow(activity, frame)
    activity = step.activity
    if (step.cue !== null) cues.push({ atMs: frame.atMs, cue: step.cue })
  }
  return { cues, activity }
}

/** Frames every `everyMs`, loud where `isLoud` says so. */
function frames(lengthMs: number, isLoud: (atMs: number) => boolean, everyMs = 20): Frame[] {
  return Array.from({ length: Math.ceil(lengthMs / everyMs) }, (_, i) => ({
    atMs: i * everyMs,
    levelDb: isLoud(i * everyMs) ? voiceDb : quietDb,
  }))
}

test('a voice softens the presenter after 120 ms and stops it within 300 ms', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 5, max: 20 }), (fromMs, everyMs) => {
      const { cues } = play(frames(fromMs + 1_000, (atMs) => atMs >= fromMs, everyMs))
      assert.deepEqual(
        cues.map(({ cue }) => cue),
        ['duck', 'confirm'],
      )
      const [duck, confirm] = cues.map(({ atMs }) => atMs - fromMs)
      assert.ok(duck !== undefined && duck >= 120 - everyMs && duck <= 120 + 2 * everyMs, `${duck}`)
      assert.ok(confirm !== undefined && confirm >= 250 && confirm <= 280 + 2 * everyMs, `${confirm}`)
    }),
  )
})

test('a noise of less than 250 ms stops nobody, however often it comes', () => {
  const noise = fc.record({ gapMs: fc.integer({ min: 150, max: 2_000 }), noiseMs: fc.integer({ min: 1, max: 240 }) })
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 12 }), (noises) => {
      let atMs = 0
      const spans = noises.map(({ gapMs, noiseMs }) => {
        const fromMs = atMs + gapMs
        atMs = fromMs + noiseMs
        return { fromMs, toMs: atMs }
      })
      const { cues, activity } = play(frames(atMs + 500, (at) => spans.some(({ fromMs, toMs }) => at >= fromMs && at < toMs)))
      assert.ok(cues.every(({ cue }) => cue === 'duck' || cue === 'restore'))
      assert.equal(activity.phase, 'quiet')
    }),
  )
})

test('a noise that was loud each time a page held up listened is no voice before it was heard for long', () => {
  const gap = fc.integer({ min: 81, max: 2_000 })
  fc.assert(
    fc.property(fc.tuple(gap, gap, gap), (gaps) => {
      let atMs = 0
      const heard = [0, ...gaps].map((gapMs) => ({ atMs: (atMs += gapMs), levelDb: voiceDb }))
      assert.ok(play(heard).cues.every(({ cue }) => cue === 'duck'))
      const voice = Array.from({ length: 20 }, (_, i) => ({ atMs: atMs + (i + 1) * 20, levelDb: voiceDb }))
      assert.equal(play([...heard, ...voice]).cues.at(-1)?.cue, 'confirm')
    }),
  )
})

test('whatever is heard, each softening is taken back or confirmed, and each voice ends once', () => {
  const frame = fc.record({ gapMs: fc.integer({ min: 1, max: 400 }), levelDb: fc.double({ min: -120, max: 0, noNaN: true }) })
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 300 }), (steps) => {
      let atMs = 0
      const { cues } = play(steps.map(({ gapMs, levelDb }) => ({ atMs: (atMs += gapMs), levelDb })))
      let phase: 'quiet' | 'ducked' | 'speaking' = 'quiet'
      for (const { cue } of cues) {
        if (cue === 'duck') assert.equal(phase, 'quiet')
        if (cue === 'restore') assert.equal(phase, 'ducked')
        if (cue === 'confirm') assert.notEqual(phase, 'speaking')
        if (cue === 'silence') assert.equal(phase, 'speaking')
        phase = cue === 'duck' ? 'ducked' : cue === 'confirm' ? 'speaking' : 'quiet'
      }
    }),
  )
})

test('a pause for breath does not end a voice, a silence of 0.7 s does', () => {
  const { cues } = play(frames(3_000, (atMs) => (atMs >= 200 && atMs < 800) || (atMs >= 1_300 && atMs < 1_600)))
  assert.deepEqual(
    cues.map(({ cue }) => cue),
    ['duck', 'confirm', 'silence'],
  )
  assert.ok((cues[2]?.atMs ?? 0) >= 2_280 && (cues[2]?.atMs ?? 0) <= 2_320)
})

test('a room that becomes loud interrupts once and is then the quiet that a voice has to pass', () => {
  const fan = frames(120_000, (atMs) => atMs >= 1_000).map(({ atMs, levelDb }) => ({ atMs, levelDb: levelDb === voiceDb ? -45 : levelDb }))
  const { cues, activity } = play(fan)
  assert.equal(cues.filter(({ cue }) => cue === 'confirm').length, 1)
  assert.equal(cues.at(-1)?.cue, 'silence')
  const later = Array.from({ length: 50 }, (_, i) => ({ atMs: 121_000 + i * 20, levelDb: -20 }))
  assert.equal(play(later, activity).cues.at(-1)?.cue, 'confirm')
})

test('noise without words has to be louder the next time, words make up for it', () => {
  let activity = silentRoom
  for (let i = 0; i < 20; i++) activity = learn(activity, false)
  assert.equal(activity.marginDb, 24)
  assert.equal(learn(activity, true).marginDb, silentRoom.marginDb)
})

test('a level is told in decibels of full scale', () => {
  assert.ok(Math.abs(levelDbOf([1, -1, 1, -1])) < 0.01)
  assert.ok(Math.abs(levelDbOf(new Float32Array(64).fill(0.1)) + 20) < 0.01)
  assert.ok(levelDbOf(new Float32Array(64)) < -90)
})
