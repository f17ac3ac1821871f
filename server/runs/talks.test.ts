import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownSlide } from '../decks/content.ts'
import { readReading } from '@rostrum/deck/block'
import { writtenReading } from '../decks/new-slide.ts'
import { litPlace, partsIn, toSlide } from './talks.ts'

function slideOf(text: string, boxed = false): ShownSlide {
  const title = text.slice(0, text.indexOf('\n'))
  const { blocks } = readReading(writtenReading(text, title, undefined, true))
  const placed = blocks.map((block) =>
    block.kind === 'list'
      ? { ...block, items: block.items.map((item, at) => ({ ...item, boxes: [[0.1, 0.2 + at / 10, 0.5, 0.05] as const] })) }
      : block,
  )
  const image = boxed ? { imageUrl: '/media/a.jpg', width: 1600, height: 900, srcset: '' } : null
  return { id: 's1', index: 0, title, text, blocks: boxed ? placed : blocks, image }
}

const text = 'What it costs\n- Cells: 62 € per kWh\n- Containers and cooling\n- Software and permits\n- Grid connection'
const own = (words: string) => ({ kind: 'narration', text: words, sources: [{ type: 'slide', id: 's1', index: 0 }] }) as const

function linesLit(words: string, slide = slideOf(text)): string[] {
  const { spans = [] } = litPlace(own(words), slide, partsIn('en')) ?? {}
  return spans.map(([start, end]) => slide.text.slice(start, end))
}

test('words of an author light the line that says the same, in other forms of its words too', () => {
  assert.deepEqual(linesLit('Then come the container itself and whatever cools it.'), ['Containers and cooling'])
  assert.deepEqual(linesLit('A cell is 62 euros for each kWh.'), ['Cells: 62 € per kWh'])
})

test('words about something else, or about all of it, light nothing', () => {
  assert.deepEqual(linesLit('Let us look at this together.'), [])
  assert.deepEqual(linesLit('Cells at 62 per kWh, containers and cooling, software and permits, the grid connection: that is all.'), [])
  assert.deepEqual(linesLit(''), [])
})

test('on a picture they light its boxes', () => {
  const lit = litPlace(own('Containers, and the cooling in them.'), slideOf(text, true), partsIn('en'))
  assert.deepEqual(lit, { region: [[0.1, 0.3, 0.5, 0.05]] })
})

test('where the script knows the place, that counts', () => {
  const beat = { ...own('Containers and cooling.'), sources: [{ type: 'slide', id: 's1', index: 0, spans: [[16, 34]] }] } as const
  assert.deepEqual(litPlace(beat, slideOf(text), partsIn('en')), { spans: [[16, 34]] })
  assert.deepEqual(litPlace({ ...beat, region: [[0, 0, 0.5, 0.5]] }, slideOf(text, true), partsIn('en')), { region: [[0, 0, 0.5, 0.5]] })
})

test('a picture whose words reach down to where captions lie is marked so, and no other slide', () => {
  const lines = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'].map((line) => `- ${line} of the lines`)
  const low = ['What it costs', ...lines].join('\n')
  assert.equal(toSlide(slideOf(low, true)).lowText, true)
  assert.equal(toSlide(slideOf(text, true)).lowText, undefined)
  assert.equal(toSlide(slideOf(low)).lowText, undefined)
})
