// The bounds of A2UI surfaces hold for whatever a result may say, in whatever script: 60 components, 32 KB, one root, no dangling
// child, and no text that becomes anything but text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { A2uiMessageListSchema } from '@a2ui/web_core/v0_9'
import fc from 'fast-check'
import { composeSurface } from '../../src/mcp/a2ui/compose.ts'
import { bytesMax, componentsMax } from '../../src/mcp/a2ui/surface.ts'
import { toolNames } from './rpc.ts'

/** Texts as results may hold them: empty, long, of any script, or dressed up as something else. */
const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '蓄電池が電力網を支える'.repeat(60),
    '🪫'.repeat(300),
    '</script>',
    '{"path":"/texts/0"}',
    'Button',
    'root',
    'javascript:alert(1)',
  ),
)
const url = fc.oneof(
  fc.constantFrom('https://x.test/join/a', 'javascript:alert(1)', ''),
  fc.webUrl(),
  fc.constant(`https://x.test/${'a'.repeat(2_000)}`),
)
const figure = fc.integer({ min: 0, max: 1e9 })
const many = <T>(item: fc.Arbitrary<T>, maxLength: number) => fc.array(item, { maxLength, size: 'max' })
const part = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] })

const session = part({
  id: fc.uuid(),
  title: words,
  status: fc.constantFrom('draft', 'published'),
  roomUrl: url,
  rehearsalUrl: url,
  description: words,
})
const slide = part({ index: figure, title: words, imageUrl: url })
const slideFigures = part({ index: figure, avgSeconds: figure, leftHere: figure })
const lead = part({ name: words, email: words, company: words, ctaClicked: fc.boolean() })
const citation = part({ quote: words, title: words, type: fc.constantFrom('slide', 'knowledge') })
const action = fc.oneof(
  part({
    type: fc.constant('tool_call'),
    toolName: fc.constantFrom('submit_attendee_lead', 'pap_query_presenter', 'discover_sessions'),
    arguments: part({ sessionId: fc.uuid() }),
    reason: words,
    needs: fc.constantFrom<string[]>([], ['email'], ['email', 'name']),
  }).filter(({ toolName }) => toolName !== undefined),
  fc.record({ type: fc.constant('open_link'), url: fc.webUrl(), title: words, reason: words }),
)

const results: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  create_session: session,
  list_sessions: part({ sessions: many(session, 100), nextCursor: words }),
  get_session: fc.tuple(session, many(slide, 300), words).map(([made, slides, deckState]) => ({ ...made, slides, deckState })),
  get_session_analytics: part({
    sessionId: fc.uuid(),
    totalAttendees: figure,
    averageEngagementSec: figure,
    questionsCount: figure,
    ctaClicks: figure,
    leads: figure,
    funnel: part({ lead: figure }),
    slides: many(slideFigures, 60),
    unanswered: many(part({ text: words }), 12),
  }),
  export_leads: part({ sessionId: fc.uuid(), leads: many(lead, 100), total: figure, nextCursor: words }),
  pap_query_presenter: part({
    reply: words,
    citations: many(citation, 8),
    suggestedActions: fc.array(action, { maxLength: 3 }),
    disclosure: words,
  }),
}

for (const [tool, arbitrary] of Object.entries(results)) {
  test(`${tool} has a surface within bounds, whatever it says`, () => {
    fc.assert(
      fc.property(arbitrary, (data) => {
        const surface = composeSurface(tool, data)
        assert.ok(surface !== undefined, 'there is no surface')
        assert.ok(Buffer.byteLength(surface.messages) <= bytesMax)
        const messages = JSON.parse(surface.messages)
        A2uiMessageListSchema.parse(messages)
        const { components } = messages[1].updateComponents
        assert.ok(components.length <= componentsMax)
        const ids = new Set<string>(components.map(({ id }: { id: string }) => id))
        assert.equal(ids.size, components.length)
        assert.ok(ids.has('root'))
        for (const { children = [], child, action: act } of components) {
          for (const each of child === undefined ? children : [child]) assert.ok(ids.has(each))
          if (act?.event !== undefined) assert.ok(toolNames.includes(act.event.name), act.event.name)
          if (act?.functionCall !== undefined) assert.match(act.functionCall.args.url, /^https?:/)
        }
        assert.ok(messages[2].updateDataModel.value.texts.every((each: unknown) => typeof each === 'string'))
      }),
      { numRuns: 150 },
    )
  })
}

test('an answer as long as it may be is shown whole, and a long address of an image is not cut', () => {
  const reply = 'word '.repeat(239)
  const [, , model] = JSON.parse(composeSurface('pap_query_presenter', { reply })?.messages ?? '[]')
  assert.equal(model.updateDataModel.value.texts[0], reply)
  const imageUrl = `https://x.test/${'a'.repeat(600)}.png`
  const shown = composeSurface('get_session', { id: '1', title: 'T', status: 'draft', slides: [{ index: 0, title: 'S', imageUrl }] })
  assert.ok(shown?.messages.includes(imageUrl))
})

test('a list too large to be shown whole is shown in part, and says what is left', () => {
  const leads = Array.from({ length: 100 }, () => ({ name: '蓄'.repeat(400), email: 'a@example.com' }))
  const { messages } = composeSurface('export_leads', { sessionId: '1', leads }) ?? assert.fail('there is no surface')
  assert.ok(Buffer.byteLength(messages) <= bytesMax)
  assert.match(messages, /more are in the text of the result/)
})
