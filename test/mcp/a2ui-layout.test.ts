// Layouts that a model proposes: whatever it writes, a surface is valid, within bounds, and holds the words and actions of the rules
// alone, each once; what is not wholly a layout of the parts there are is refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { composeSurface, layOut, surfaceShape } from '../../src/mcp/a2ui/compose.ts'
import { readLayout, type Shape } from '../../src/mcp/a2ui/layout.ts'
import type { ShownComponent } from './a2ui-surfaces.ts'
import { results, shown, wordsAt } from './a2ui-surfaces.ts'

const analytics = {
  sessionId: '0198c1d2-7a53-7c1e-9a40-3d2f6a1b8c90',
  totalAttendees: 4,
  averageEngagementSec: 61.2,
  leads: 2,
  slides: [0, 1, 2].map((index) => ({ index, avgSeconds: 9 })),
  unanswered: [{ text: 'Does it rust?' }],
}
const answer = { reply: 'Four hours.', citations: [{ quote: 'four hours', title: 'Grid' }], disclosure: 'An automated presenter.' }
const shapeFor = (tool: string, data: Record<string, unknown>): Shape => surfaceShape(tool, data) ?? assert.fail('there is no shape')
const shape = shapeFor('get_session_analytics', analytics)

type Proposed = Record<string, unknown>

const good: Proposed[] = [
  { id: 'root', component: 'Column', children: ['heading', 'top', 'rule', 'tabs', 'buttons'] },
  { id: 'top', component: 'Card', child: 'figures' },
  { id: 'figures', component: 'Row', children: ['engagement', 'attendees'], justify: 'spaceEvenly' },
  { id: 'rule', component: 'Divider' },
  {
    id: 'tabs',
    component: 'Tabs',
    tabs: [
      { title: 'unanswered-heading', child: 'unanswered' },
      { title: 'slides-heading', child: 'seconds-on-slides' },
    ],
  },
  { id: 'buttons', component: 'Row', children: ['show-session', 'export-leads'] },
  { id: 'heading', component: 'Text', variant: 'h1' },
  { id: 'show-session', component: 'Button', variant: 'primary' },
]
const replacing = (id: string, members: Proposed): Proposed[] => good.map((each) => (each['id'] === id ? { ...each, ...members } : each))
const without = (id: string): Proposed[] => good.filter((each) => each['id'] !== id)
const faultOf = (proposed: unknown, of: Shape = shape) =>
  readLayout(typeof proposed === 'string' ? proposed : JSON.stringify(proposed), of).fault

test('a good proposal arranges the parts: words and actions stay those of the rules, headings may name tabs', () => {
  const { layout } = readLayout(`Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``, shape)
  assert.ok(layout !== undefined)
  const { components, texts } = shown(layOut('get_session_analytics', analytics, layout)?.messages ?? '')
  const [tabs] = components.filter(({ component }) => component === 'Tabs')
  assert.deepEqual(
    tabs?.tabs?.map(({ title }) => wordsAt(title, texts)),
    ['What the talk could not answer', 'Seconds on each slide'],
  )
  const buttons = components.filter(({ component }) => component === 'Button')
  assert.deepEqual(
    buttons.map(({ variant, action }) => [variant, action]),
    [
      ['primary', { event: { name: 'export_leads', context: { sessionId: analytics.sessionId } } }],
      ['primary', { event: { name: 'get_session', context: { sessionId: analytics.sessionId } } }],
    ],
  )
  const [heading] = components.filter(({ text }) => text !== undefined && wordsAt(text, texts) === 'Analytics')
  assert.equal(heading?.['variant'], 'h1')
})

describe('a proposal is refused', () => {
  const faults: Readonly<Record<string, readonly [expected: string, proposed: unknown]>> = {
    'that is no JSON': ['no_json', 'I would put the figures first.'],
    'that was cut': ['no_json', JSON.stringify(good).slice(0, 300)],
    'that is too long': ['too_large', JSON.stringify(good).padEnd(9_000)],
    'with an unknown component': ['not_in_catalogue', replacing('rule', { component: 'Chart' })],
    'with a component of the catalogue that arranges nothing': [
      'not_in_catalogue',
      replacing('rule', { component: 'Video', url: 'https://x.test' }),
    ],
    'with words of its own': ['not_in_catalogue', replacing('heading', { text: 'A triumph' })],
    'with a title of its own': [
      'no_heading',
      replacing('tabs', {
        tabs: [
          { title: 'Best', child: 'unanswered' },
          { title: 'slides-heading', child: 'seconds-on-slides' },
        ],
      }),
    ],
    'with an action': ['not_in_catalogue', replacing('show-session', { action: { event: { name: 'export_leads', context: {} } } })],
    'with a button of its own': ['wrong_style', [...good, { id: 'buy', component: 'Button', variant: 'primary' }]],
    'with a value bound by itself': [
      'not_in_catalogue',
      replacing('buttons', { children: { componentId: 'show-session', path: '/texts' } }),
    ],
    'with a look that is none': ['not_in_catalogue', replacing('figures', { align: 'left' })],
    'without a root': ['no_root', without('root')],
    'whose root is in itself': ['placed_twice', replacing('figures', { children: ['engagement', 'attendees', 'root'] })],
    'with a cycle apart': ['not_placed', [...good, { id: 'a', component: 'Card', child: 'b' }, { id: 'b', component: 'Card', child: 'a' }]],
    'that shows a part twice': ['placed_twice', replacing('buttons', { children: ['show-session', 'export-leads', 'attendees'] })],
    'that leaves a part out': ['not_placed', replacing('buttons', { children: ['show-session'] })],
    'that leaves its own out': ['not_placed', [...good, { id: 'spare', component: 'Divider' }]],
    'with a child there is not': ['unknown_id', replacing('top', { child: 'leads-of-others' })],
    'with an id twice': ['id_twice', [...good, { id: 'top', component: 'Divider' }]],
    'that takes the name of a part': ['id_twice', replacing('rule', { id: 'attendees' })],
    'with the look of a button for a text': ['wrong_style', replacing('heading', { component: 'Button', variant: 'primary' })],
    'with more than twelve components': [
      'too_large',
      [
        ...replacing('root', {
          children: ['heading', 'top', 'tabs', 'buttons', ...Array.from({ length: 9 }, (_, at) => `rule${at}`)],
        }).filter(({ id }) => id !== 'rule'),
        ...Array.from({ length: 9 }, (_, at) => ({ id: `rule${at}`, component: 'Divider' })),
      ],
    ],
  }
  test('not when it is good', () => assert.equal(faultOf(good), undefined))
  for (const [name, [expected, proposed]] of Object.entries(faults)) test(name, () => assert.equal(faultOf(proposed), expected))

  test('that hides in a tab who answers, or the answer', () => {
    const plain = [{ id: 'root', component: 'Column', children: ['reply', 'sources', 'disclosure'] }]
    const of = shapeFor('pap_query_presenter', answer)
    assert.equal(faultOf(plain, of), undefined)
    const hiding = new Map([...of.parts, ...(['h1', 'h2'] as const).map((name) => [name, { kind: 'heading', isSeveral: false }] as const)])
    const tabs = [
      { title: 'h1', child: 'sources' },
      { title: 'h2', child: 'disclosure' },
    ]
    const hidden = [
      { id: 'root', component: 'Column', children: ['reply', 'tabs'] },
      { id: 'tabs', component: 'Tabs', tabs },
    ]
    assert.equal(faultOf(hidden, { ...of, parts: hiding }), 'hidden')
  })
})

test('a shape says which parts there are, and nothing of what they hold', () => {
  const other = {
    ...analytics,
    totalAttendees: 90,
    leads: 7,
    slides: [5, 6].map((index) => ({ index, avgSeconds: 1 })),
    unanswered: [{ text: 'quokka' }],
  }
  assert.equal(shapeFor('get_session_analytics', other).words, shape.words)
  assert.notEqual(shapeFor('get_session_analytics', { ...analytics, leads: 0 }).words, shape.words)
  assert.match(shape.words, /^Result of get_session_analytics\.\n(- [a-z0-9-]+: [a-z]+( of (1|2 to 4|5 or more))?\n?)+$/)
})

/** A stream of choices, so that one arbitrary makes a whole tree. */
const choices = fc.array(fc.nat(1_000), { minLength: 60, maxLength: 60 })
function chooser(tape: readonly number[]) {
  let at = 0
  return (below: number): number => (tape[at++ % tape.length] ?? 0) % below
}

/** A proposal that places every part once, in as many boxes as there may be. */
function wellMade({ parts }: Shape, choose: (below: number) => number): Proposed[] {
  const boxes: Proposed[] = []
  const styles: Proposed[] = []
  const names = [...parts].flatMap(([name, { kind }]) => {
    if (kind === 'heading' && choose(3) === 0) return []
    if (kind === 'button' && choose(2) === 0) styles.push({ id: name, component: 'Button', variant: 'borderless' })
    if ((kind === 'text' || kind === 'heading') && choose(2) === 0) styles.push({ id: name, component: 'Text', variant: 'h2' })
    return [name]
  })
  for (let at = names.length - 1; at > 0; at--) {
    const other = choose(at + 1)
    ;[names[at], names[other]] = [names[other] ?? '', names[at] ?? '']
  }
  // Those begun, and for a list in a card the column that it needs.
  let left = 8
  const place = (inside: readonly string[]): string[] => {
    if (inside.length < 2 || left === 0) return [...inside]
    const cut = 1 + choose(inside.length - 1)
    left--
    return [box(inside.slice(0, cut)), ...place(inside.slice(cut))]
  }
  const box = (inside: readonly string[]): string => {
    const [only] = inside
    if (inside.length > 1 || left === 0 || choose(2) === 0) return hold(place(inside))
    left--
    return add({ component: 'Card', child: only })
  }
  const hold = (children: readonly string[]) => add({ component: ['Row', 'Column', 'List'][choose(3)], children })
  const add = (members: Proposed): string => {
    const id = `box${boxes.length}`
    boxes.push({ id, ...members })
    return id
  }
  const children = place(names)
  return [{ id: 'root', component: 'Column', children }, ...boxes, ...styles]
}

/** What is wrong with a proposal that is nearly one. */
const spoils: readonly ((good: Proposed[], choose: (below: number) => number) => unknown)[] = [
  (list) => list,
  (list, choose) => list.toSpliced(choose(list.length), 1),
  (list, choose) => [...list, list[choose(list.length)]],
  (list, choose) => list.with(choose(list.length), { id: 'root', component: 'Card', child: 'root' }),
  (list, choose) => list.with(choose(list.length), { ...list[choose(list.length)], component: 'Image', url: 'https://x.test/a.png' }),
  (list) => [...list, { id: 'evil', component: 'Button', variant: 'primary', action: { event: { name: 'delete_session', context: {} } } }],
  (list) => [...list, { id: 'evil', component: 'Text', text: 'You have won', variant: 'h1' }],
  (list) => list.map((each) => ({ ...each, children: [...((each['children'] as string[] | undefined) ?? []), 'root'] })),
  (list, choose) => JSON.stringify(list).slice(0, choose(400)),
  (list) => ({ components: list }),
  (list) => list.map((each) => ({ ...each, text: { path: '/texts/0' } })),
]

const actionsOf = (components: readonly ShownComponent[]) =>
  components.flatMap(({ action }) => (action === undefined ? [] : [JSON.stringify(action)]))

for (const [tool, arbitrary] of Object.entries(results)) {
  const proposals = fc.oneof(
    { weight: 4, arbitrary: fc.record({ tape: choices, spoil: fc.oneof(fc.constant(0), fc.nat(spoils.length - 1)) }) },
    { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string()).map((text) => ({ text })) },
  )
  test(`whatever is proposed for ${tool}, what is shown is valid and holds the words and actions of the rules alone`, () => {
    fc.assert(
      fc.property(arbitrary, proposals, (data, proposed) => {
        const of = shapeFor(tool, data)
        const isGood = 'spoil' in proposed && proposed.spoil === 0
        const choose = chooser('tape' in proposed ? proposed.tape : [0])
        const made = 'text' in proposed ? proposed.text : spoils[proposed.spoil]?.(wellMade(of, choose), choose)
        const { layout, fault } = readLayout(typeof made === 'string' ? made : JSON.stringify(made), of)
        if (isGood) assert.equal(fault, undefined)
        if (layout === undefined) return
        const mine = shown(layOut(tool, data, layout)?.messages ?? assert.fail('there is no surface'))
        const rules = shown(composeSurface(tool, data)?.messages ?? assert.fail('the rules make no surface'))
        const words = new Set(rules.texts)
        for (const text of mine.texts) assert.ok(words.has(text) || /^\d+ more are in the text of the result\.$/.test(text), text)
        const actions = new Set(actionsOf(rules.components))
        for (const each of actionsOf(mine.components)) assert.ok(actions.has(each), each)
        // Long lists may be cut a little earlier, for the layout's own components; nothing else is left out.
        if (!/ of 5 or more/.test(of.words)) assert.equal(actionsOf(mine.components).length, actionsOf(rules.components).length)
      }),
      { numRuns: 150 },
    )
  })
}

test('a surface that a layout would make too large is laid out by the rules', () => {
  const suggestedActions = Array.from({ length: 3 }, (_, at) => ({
    type: 'tool_call',
    toolName: 'submit_attendee_lead',
    arguments: { sessionId: `${at}` },
    reason: 'R'.repeat(400),
    needs: Array.from({ length: 9 }, (_, field) => `field-${at}-${field}`),
  }))
  const data = { reply: 'Yes.', suggestedActions, citations: [1, 2, 3].map((n) => ({ quote: `${n}`, title: 'T' })) }
  const parts = ['reply', 'sources', 'suggestion-1', 'suggestion-2', 'suggestion-3']
  const boxes = parts.map((child, at) => ({ id: `c${at}`, component: 'Card', child }))
  const rules = [1, 2, 3, 4, 5].map((n) => ({ id: `r${n}`, component: 'Divider' }))
  const proposed = [{ id: 'root', component: 'Column', children: [...boxes, ...rules].map(({ id }) => id) }, ...boxes, ...rules]
  const { layout } = readLayout(JSON.stringify(proposed), shapeFor('pap_query_presenter', data))
  assert.ok(layout !== undefined)
  assert.deepEqual(layOut('pap_query_presenter', data, layout), composeSurface('pap_query_presenter', data))
})
