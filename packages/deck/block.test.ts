import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Box } from '@rostrum/contract/deck'
import { boxesAt, litRegion } from './block.ts'
import type { Block } from '@rostrum/contract/block'

test('lines that stand together are one part, what stands apart another, in thousandths', () => {
  const lines: Box[] = [
    [0.1, 0.2, 0.5, 0.05],
    [0.1, 0.26, 0.43333, 0.05],
    [0.1, 0.8, 0.2, 0.05],
    [0.7, 0.2, 0.2, 0.05],
  ]
  assert.deepEqual(litRegion(lines), [
    [0.1, 0.2, 0.5, 0.11],
    [0.7, 0.2, 0.2, 0.05],
    [0.1, 0.8, 0.2, 0.05],
  ])
})

test('many scattered parts are lit as one area: an event to ten thousand people stays small', () => {
  const scattered = Array.from({ length: 30 }, (_, at): Box => [0.05 + (at % 6) * 0.12, 0.1 + Math.floor(at / 6) * 0.1, 0.05, 0.02])
  const lit = litRegion(scattered)
  assert.deepEqual(lit, [[0.05, 0.1, 0.65, 0.42]])
  assert.ok(JSON.stringify(lit).length < 40)
})

test('what covers nearly all of a slide, or nothing, is not lit', () => {
  assert.equal(litRegion([[0, 0, 1, 0.95]]), undefined)
  assert.equal(litRegion([]), undefined)
})

test('of a paragraph of four lines the lines of the quote are found, and none of its neighbours', () => {
  const box = (line: number): Box => [0.1, 0.1 * line, 0.8, 0.05]
  const paragraph: Block = { kind: 'paragraph', text: 'x'.repeat(400), start: 10, end: 410, boxes: [1, 2, 3, 4].map(box) }
  const next: Block = { kind: 'paragraph', text: 'y', start: 411, end: 420, boxes: [box(6)] }
  assert.deepEqual(boxesAt([paragraph, next], 110, 290), [box(2), box(3)])
  assert.deepEqual(boxesAt([paragraph, next], 411, 420), [box(6)])
  assert.deepEqual(boxesAt([paragraph, next], 0, 5), [])
})
