import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monogram } from '../stage/monogram.ts'
import { barsOf, barsOfSound } from './level.ts'

test('in silence the bars follow the letters of the caption, and rest at a space, at the end and before the beginning', () => {
  const text = 'A battery shifts the evening peak.'
  const at = (chars: number) => barsOf({ id: 'b', text, chars })
  assert.notDeepEqual(at(8), at(10))
  assert.equal(at(9).length, 4)
  assert.ok(at(9).every((level) => level > 0 && level <= 1))
  assert.deepEqual(at(text.length), [0.15, 0.15, 0.15, 0.15])
  assert.deepEqual(barsOf(null), [0.15, 0.15, 0.15, 0.15])
  assert.equal(at(2)[3], 0.15, 'a space')
})

test('with sound each bar is a band of speech: a hum is low in the last, hiss in the first, silence rests', () => {
  const magnitudes = (loud: (bin: number) => boolean) => Uint8Array.from({ length: 128 }, (_, bin) => (loud(bin) ? 220 : 0))
  const [hum, , , hiss] = barsOfSound(magnitudes((bin) => bin < 3))
  assert.deepEqual([hum, hiss], [1, 0.15])
  assert.deepEqual(barsOfSound(magnitudes((bin) => bin >= 11)), [0.15, 0.15, 0.15, 1])
  assert.deepEqual(barsOfSound(magnitudes(() => false)), [0.15, 0.15, 0.15, 0.15])
})

test('a monogram is the first letters of the first and the last word, whole characters, in any script', () => {
  const names = { 'Nora Kessler': 'NK', 'Jean-Luc de la Tour': 'JT', nora: 'N', 'Élodie 2': 'É', '山田 太郎': '山太', 𝒩ora: '𝒩', '': '' }
  for (const [name, letters] of Object.entries(names)) assert.equal(monogram(name), letters)
})
