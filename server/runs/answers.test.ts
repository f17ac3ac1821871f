import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleTalk } from '../../test/support/sample-talk.ts'
import { minutesOf, usualPace } from './answers.ts'

test('the minutes that are left were told as if nobody had made the talk faster or shorter', () => {
  const beats = sampleTalk(3).beats.map((beat) => ({ ...beat, kind: 'narration' as const, estMs: 60_000, pauseMs: 0 }))
  const whole = minutesOf(beats, 0, usualPace).count
  assert.equal(whole, beats.length)
  assert.equal(minutesOf(beats, 0, { ...usualPace, speed: 2 }).count, Math.round(whole / 2))
  const brief = minutesOf(beats, 0, { ...usualPace, isBrief: true }).count
  assert.ok(brief < whole && brief > 0, `${brief} of ${whole}`)
})
