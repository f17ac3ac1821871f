import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { passedOverBy } from './parse.ts'

const look = passedOverBy(
  z.object({
    title: z.string(),
    ctaText: z.string().optional(),
    slides: z.array(z.object({ textContent: z.string().optional(), agentNotes: z.string().optional(), narration: z.string().optional() })),
    how: z.discriminatedUnion('type', [z.object({ type: z.literal('a'), count: z.int() }), z.object({ type: z.literal('b') })]).optional(),
    names: z.record(z.string(), z.string()).optional(),
  }),
  { deck: 'a deck is sent with `PUT .../deck`.', 'slides.polls': 'a poll is written in `agentNotes`.' },
)

for (const [sent, pointer, words] of [
  [{ slides: [{}, { text_content: 'a' }] }, '#/slides/1/text_content', /did you mean `textContent`\?/],
  [{ slides: [{ notes: 'a' }] }, '#/slides/0/notes', /did you mean `agentNotes`\?/],
  [{ slides: [{ naration: 'a' }] }, '#/slides/0/naration', /did you mean `narration`\?/],
  [{ narration: 'a' }, '#/narration', /`narration` belongs into `slides\[\]`\./],
  [{ slides: [{ ctaText: 'a' }] }, '#/slides/0/ctaText', /`ctaText` belongs beside the outermost members\./],
  [{ deck: 'a' }, '#/deck', /a deck is sent with/],
  [{ slides: [{ polls: [] }] }, '#/slides/0/polls', /a poll is written in `agentNotes`/],
  [{ constructor: 'a' }, '#/constructor', /nothing was done with it\.$/],
  [{ how: { type: 'a', size: 1 } }, '#/how/size', /nothing was done with it\.$/],
  [{ 'a/b': 1 }, '#/a~1b', /nothing was done with it\.$/],
] as const) {
  test(`${JSON.stringify(sent)} is told of at ${pointer}`, () => {
    const [first, ...more] = look(sent)
    assert.deepEqual([first?.code, first?.pointer, more], ['unknown_member', pointer, []])
    assert.match(first?.detail ?? '', words)
  })
}

test('what the schema names is not told of, a record takes any name, and 20 are told at most', () => {
  assert.deepEqual(look({ title: 'a', slides: [{ textContent: 'b' }], how: { type: 'a', count: 1 }, names: { any: 'c' } }), [])
  assert.deepEqual(look('text'), [])
  assert.deepEqual(look({ slides: 'not a list', title: {} }), [])
  assert.equal(look(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, 1]))).length, 20)
})

test('a member named __proto__ or of any length costs nothing and is no way in', () => {
  const sent: unknown = JSON.parse(`{"__proto__":{"title":1},"constructor":1,"${'n'.repeat(500)}":1}`)
  assert.deepEqual(
    look(sent).map(({ pointer }) => pointer),
    ['#/__proto__', '#/constructor'],
  )
})
