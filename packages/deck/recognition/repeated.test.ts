import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeBlocks } from '../block-text.ts'
import type { Draft } from '@rostrum/contract/block'
import { withoutRepeated } from './found.ts'

const at = (text: string, x: number, confidence?: number) => ({
  text,
  boxes: [[x, 0.9, 0.1, 0.05] as const],
  ...(confidence !== undefined && { confidence }),
})
const slide = (title: string, ...blocks: Draft[]) => writeBlocks({ title, titleFrom: 'layout', isTitleSure: true, blocks, furniture: [] })
const labels = (...words: ReturnType<typeof at>[]): Draft => ({ kind: 'figure', shows: 'picture', labels: words })

test('what was read at one place of many pages is set apart; what stands elsewhere, or is the text of the document, stays', () => {
  const slides = [
    slide('One', labels(at('Northwind', 0.8, 0.9), at('Pump', 0.1, 0.9))),
    slide('Two', { kind: 'paragraph', ...at('NORTHWIND', 0.81, 0.7) }, { kind: 'paragraph', ...at('Well', 0.1, 0.9) }),
    slide('Three', labels(at('Northwind', 0.8, 0.9))),
    slide('Four', labels(at('Northwind', 0.3, 0.9))),
    slide('Five', { kind: 'paragraph', ...at('Northwind', 0.8) }),
  ]
  assert.deepEqual(
    withoutRepeated(slides).map((after) => after && [after.text, after.reading.furniture]),
    [['One\n[Pump]', ['Northwind']], ['Two\nWell', ['NORTHWIND']], ['Three', ['Northwind']], undefined, undefined],
  )
})

test('two pages are no habit', () => {
  const slides = [slide('One', labels(at('Northwind', 0.8, 0.9))), slide('Two', labels(at('Northwind', 0.8, 0.9)))]
  assert.deepEqual(withoutRepeated(slides), [undefined, undefined])
})

test('three hundred crowded pages held the server for half a minute: equal words alone are compared', () => {
  const slides = Array.from({ length: 300 }, (_, page) =>
    slide(
      `Page ${page}`,
      labels(...Array.from({ length: 40 }, (_each, line) => at(line === 0 ? 'Northwind' : `${page} ${line}`, 0.02 * line, 0.9))),
    ),
  )
  assert.equal(withoutRepeated(slides).filter((after) => after?.reading.furniture[0] === 'Northwind').length, 300)
})
