// Results as tools may give them, whatever they say, and what holds of every A2UI surface: the published schemas and processor of
// version 0.9 take it, it keeps the bounds, and everything in it has one place under the root.
import assert from 'node:assert/strict'
import { A2uiMessageListSchema, Catalog, MessageProcessor } from '@a2ui/web_core/v0_9'
import * as basic from '@a2ui/web_core/v0_9/basic_catalog'
import fc from 'fast-check'
import { bytesMax, componentsMax } from '../../server/mcp/a2ui.ts'
import { a2uiCatalog } from '../../server/mcp/catalogue.ts'
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

export const results: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
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

export interface ShownComponent {
  id: string
  component: string
  children?: string[]
  child?: string
  tabs?: { title: { path: string }; child: string }[]
  action?: { event?: { name: string; context: object }; functionCall?: { args: { url: string } } }
  [member: string]: unknown
}

export interface Shown {
  components: ShownComponent[]
  texts: string[]
}

const holds = ({ children = [], child, tabs = [] }: ShownComponent): string[] => [
  ...children,
  ...(child === undefined ? [] : [child]),
  ...tabs.map((tab) => tab.child),
]

/** The parts of `messages`, of which everything above has been asserted. */
export function shown(messages: string): Shown {
  assert.ok(Buffer.byteLength(messages) <= bytesMax)
  const list = JSON.parse(messages)
  A2uiMessageListSchema.parse(list)
  const { components } = list[1].updateComponents as { components: ShownComponent[] }
  const { texts } = list[2].updateDataModel.value as { texts: string[] }
  assert.ok(components.length <= componentsMax, `${components.length} components`)
  assert.ok(texts.every((each) => typeof each === 'string'))
  const byId = new Map(components.map((each) => [each.id, each]))
  assert.equal(byId.size, components.length)
  const reached: string[] = []
  const reach = (id: string): void => {
    const component = byId.get(id)
    assert.ok(component !== undefined, `${id} does not exist`)
    assert.ok(!reached.includes(id), `${id} has two places`)
    reached.push(id)
    for (const inside of holds(component)) reach(inside)
  }
  reach('root')
  assert.equal(reached.length, components.length)
  for (const { id: _, component, ...members } of components) {
    apiOf(component).schema.parse(members)
    const { event, functionCall } = members.action ?? {}
    if (event !== undefined) assert.ok((toolNames as readonly string[]).includes(event.name), event.name)
    if (functionCall !== undefined) assert.match(functionCall.args.url, /^https?:/)
    const bound = [members['text'], members['url'], members['description'], ...(members.tabs ?? []).map(({ title }) => title)]
    for (const each of bound) if (each !== undefined) assert.equal(typeof wordsAt(each, texts), 'string')
  }
  const processor = new MessageProcessor([new Catalog(a2uiCatalog, [], [])])
  processor.processMessages(list)
  assert.equal(processor.model.surfacesMap.size, 1)
  return { components, texts }
}

/** The words that are bound at `{ path }`, which may not be words themselves. */
export function wordsAt(bound: unknown, texts: readonly string[]): string | undefined {
  const { path = '' } = bound as { path?: string }
  return texts[Number(/^\/texts\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)]
}

interface Api {
  name?: string
  schema: { parse(value: unknown): unknown }
}

const apis = new Map(
  Object.values(basic).flatMap((each) => {
    const api = each as unknown as Api
    return typeof each === 'object' && api.name !== undefined && 'schema' in api ? [[api.name, api] as const] : []
  }),
)

function apiOf(component: string): Api {
  return apis.get(component) ?? assert.fail(`${component} is not in the basic catalogue`)
}
