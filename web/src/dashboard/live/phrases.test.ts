import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hearFrame, noPhrase, type PhraseCue } from './phrases.ts'

const frameMs = 20

/** `[milliseconds, decibels]` one after the other: what is cut, and when. */
function cuesOf(sound: readonly (readonly [ms: number, db: number])[]): [PhraseCue, number][] {
  let phrases = noPhrase
  let atMs = 0
  const cues: [PhraseCue, number][] = []
  for (const [ms, levelDb] of sound)
    for (const end = atMs + ms; atMs < end; atMs += frameMs) {
      const heard = hearFrame(phrases, { atMs, levelDb })
      phrases = heard.phrases
      if (heard.cue !== null) cues.push([heard.cue, atMs])
    }
  return cues
}

test('a phrase ends at the first short pause after a second', () => {
  const cues = cuesOf([
    [1_000, -60],
    [700, -25],
    [200, -60],
    [900, -25],
    [400, -60],
    [1_000, -25],
    [1_000, -60],
  ])
  assert.deepEqual(
    cues.map(([cue]) => cue),
    ['begin', 'end', 'begin', 'end'],
  )
  assert.ok(cues[1] !== undefined && cues[1][1] > 2_800 && cues[1][1] < 3_200, String(cues[1]))
})

test('who speaks without a pause is heard all the same, in pieces of eight seconds', () => {
  const syllables = Array.from(
    { length: 80 },
    () =>
      [
        [320, -25],
        [60, -60],
      ] as const,
  ).flat()
  assert.deepEqual(
    cuesOf([[500, -60], ...syllables, [1_000, -60]]).map(([cue]) => cue),
    ['begin', 'next', 'next', 'next', 'end'],
  )
})

test('a click, and the noise of a room, are no phrase', () => {
  assert.deepEqual(
    cuesOf([
      [2_000, -48],
      [40, -10],
      [5_000, -48],
    ]),
    [],
  )
})

test('whatever is heard, phrases begin and end in turns and none is longer than eight seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 20, max: 5_000 }), fc.integer({ min: -100, max: 0 })), { maxLength: 20 }), (sound) => {
      let since: number | null = null
      for (const [cue, at] of cuesOf(sound)) {
        assert.equal(since === null, cue === 'begin')
        if (since !== null) assert.ok(at - since <= 8_000)
        since = cue === 'end' ? null : at
      }
    }),
  )
})
