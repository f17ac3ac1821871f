// A2UI surfaces hold to the published schema and processor of version 0.9, whatever the data, and follow from the data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeSurface } from '../../server/mcp/a2ui.ts'
import { a2uiCatalog } from '../../server/mcp/catalogue.ts'
import { openService } from '../support/service.ts'
import { shown } from './a2ui-surfaces.ts'
import { callTool, slides } from './rpc.ts'

const id = '0198c1d2-7a53-7c1e-9a40-3d2f6a1b8c90'
const hostile = '</script>{"path":"/x"}'.repeat(80)
const slide = (index: number, leftHere = 1) => ({ index, views: 3, avgSeconds: index * 2, leftHere, questions: 0 })
const lead = (i: number) => ({
  id: `${i}`,
  name: hostile,
  email: `a${i}@example.com`,
  company: '',
  ctaClicked: i % 2 === 0,
  created_at: '',
})
const session = { id, title: hostile, status: 'published', roomUrl: 'https://x.test/join/a', rehearsalUrl: 'javascript:alert(1)' }
const analytics = {
  sessionId: id,
  totalAttendees: 4,
  averageEngagementSec: 61.2,
  questionsCount: 2,
  ctaClicks: 1,
  leads: 2,
  funnel: { lead: 2 },
}

const shapes: readonly [string, Record<string, unknown>][] = [
  ['create_session', session],
  ['create_session', { id, title: '', status: 'draft', roomUrl: 'https://x.test/join/a' }],
  ['list_sessions', { sessions: [] }],
  ['list_sessions', { sessions: Array.from({ length: 100 }, () => session), nextCursor: 'c' }],
  ['get_session', { ...session, slides: [], deckState: 'processing' }],
  [
    'get_session',
    {
      ...session,
      description: hostile,
      slides: Array.from({ length: 300 }, (_, index) => ({ index, title: hostile, imageUrl: `https://x.test/${index}.png` })),
    },
  ],
  ['get_session_analytics', { sessionId: id, totalAttendees: 0 }],
  [
    'get_session_analytics',
    {
      ...analytics,
      slides: Array.from({ length: 12 }, (_, i) => slide(i)),
      unanswered: Array.from({ length: 9 }, () => ({ text: hostile })),
    },
  ],
  ['get_session_analytics', { ...analytics, slides: Array.from({ length: 40 }, (_, i) => slide(i, i)) }],
  ['export_leads', { sessionId: id, leads: [], total: 0 }],
  ['export_leads', { sessionId: id, leads: Array.from({ length: 1_000 }, (_, i) => lead(i)), total: 2_000, nextCursor: 'c' }],
  [
    'pap_query_presenter',
    {
      reply: hostile,
      sessionId: id,
      citations: Array.from({ length: 6 }, () => ({ quote: hostile, title: 'T' })),
      suggestedActions: [
        { type: 'tool_call', toolName: 'submit_attendee_lead', arguments: { sessionId: id }, reason: 'R', needs: ['email'] },
        { type: 'open_link', url: 'https://x.test', title: 'Open', reason: 'R' },
      ],
      disclosure: 'D',
    },
  ],
]

test('every surface is valid A2UI 0.9, within bounds, with one root and no dangling child, and the reference processor draws it', () => {
  for (const [tool, data] of shapes) shown(composeSurface(tool, data)?.messages ?? assert.fail(tool))
})

const wordsOf = (tool: string, data: Record<string, unknown>): string => {
  const [, , model] = JSON.parse(composeSurface(tool, data)?.messages ?? '[]')
  return model.updateDataModel.value.texts.join('\n')
}

test('what is shown follows from the data', () => {
  assert.match(wordsOf('get_session_analytics', { sessionId: id, totalAttendees: 0 }), /Nobody has been here yet[\s\S]*Share/)
  const some = { ...analytics, slides: Array.from({ length: 3 }, (_, i) => slide(i)) }
  assert.match(wordsOf('get_session_analytics', some), /Seconds on each slide[\s\S]*█/)
  assert.doesNotMatch(wordsOf('get_session_analytics', { ...some, ctaClicks: 0 }), /offer/)
  const many = wordsOf('get_session_analytics', { ...analytics, slides: Array.from({ length: 40 }, (_, i) => slide(i, i)) })
  assert.match(many, /Where people leave\nSlide 40: 39 left here/)
  assert.equal(many.match(/left here/g)?.length, 5)
})

test('a surface comes only to a client that says with the request that it draws them', async () => {
  const app = await openService()
  try {
    const created = await callTool(app, 'create_session', { title: 'Grid', slides, isLive: true })
    assert.equal(created.content.length, 1)
    const sessionId = created.structuredContent.id
    const meta = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: [a2uiCatalog] } } } }
    for (const era of ['modern', 'legacy'] as const) {
      const { content } = await callTool(app, 'get_session', { sessionId }, { meta, era })
      assert.deepEqual([content.length, content[1].type, content[1].resource.mimeType], [2, 'resource', 'application/a2ui+json'])
      assert.equal(content[1].resource.uri, `a2ui://rostrum.test/get_session/${sessionId}`)
      assert.deepEqual(content[1].annotations, { audience: ['user'] })
      assert.doesNotMatch(content[1].resource.text, /SECRET-NOTE/)
      const other = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: ['https://else'] } } } }
      assert.equal((await callTool(app, 'get_session', { sessionId }, { meta: other, era })).content.length, 1)
    }
    const { content, isError } = await callTool(app, 'get_session', { sessionId: id }, { meta })
    assert.deepEqual([content.length, isError], [1, true])
    // A button's action is an ordinary call.
    const [, block] = (await callTool(app, 'list_sessions', {}, { meta })).content
    const button = JSON.parse(block.resource.text)[1].updateComponents.components.find(
      (each: { component: string }) => each.component === 'Button',
    )
    const shown = await callTool(app, button.action.event.name, button.action.event.context)
    assert.equal(shown.structuredContent.id, sessionId)
  } finally {
    await app.close()
  }
})
