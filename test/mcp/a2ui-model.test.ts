// A configured model proposes the layout of surfaces, through the real tool calls, against a server that speaks a provider's protocol.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeSurface } from '../../src/mcp/a2ui/compose.ts'
import { layoutTimes } from '../../src/mcp/a2ui/layouts.ts'
import { a2uiCatalog } from '../../src/mcp/catalogue.ts'
import { eventually } from '../support/clock.ts'
import type { ModelAct, ModelServer } from '../support/model-server.ts'
import { startModelServer } from '../support/model-server.ts'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { shown } from './a2ui-surfaces.ts'
import { callTool, slides } from './rpc.ts'

const canary = 'SECRET-NOTE-17'
const meta = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: [a2uiCatalog] } } } }

/** A layout for whatever parts the request names: all in a card, the last first. */
function lays(body: string): ModelAct {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] }
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const names = [...asked.matchAll(/^- ([a-z0-9-]+): /gm)].map(([, name]) => name).toReversed()
  const layout = [
    { id: 'root', component: 'Card', child: 'all' },
    { id: 'all', component: 'Column', children: names, align: 'center' },
  ]
  const text = JSON.stringify(layout)
  return { pieces: [text.slice(0, 20), text.slice(20)] }
}

interface Rig {
  app: TestService
  model: ModelServer
  sessionId: string
}

async function withModel(
  act: (body: string) => ModelAct,
  fn: (rig: Rig) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const model = await startModelServer(({ body }) => act(body))
  try {
    const app = await openService({ env: { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1`, ...env } })
    try {
      const { structuredContent } = await callTool(app, 'create_session', { title: `Grid ${canary}`, slides, isLive: true })
      await fn({ app, model, sessionId: structuredContent.id })
    } finally {
      await app.close()
    }
  } finally {
    await model.close()
  }
}

const surfaceOf = (result: { content: { resource?: { text: string } }[] }): string =>
  result.content.at(-1)?.resource?.text ?? assert.fail('there is no surface')

test('the model lays out the surface of a client that draws them, once for all results of one shape', () =>
  withModel(lays, async ({ app, model, sessionId }) => {
    const result = await callTool(app, 'get_session', { sessionId }, { meta })
    const { components, texts } = shown(surfaceOf(result))
    assert.deepEqual(
      components.flatMap(({ component, align }) => (align === 'center' && component === 'Column' ? [component] : [])),
      ['Column'],
    )
    assert.ok(texts.includes(result.structuredContent.title))
    assert.notEqual(surfaceOf(result), composeSurface('get_session', result.structuredContent)?.messages)
    assert.equal(model.requests.length, 1)
    // Another account, another talk, the same parts.
    const other = { ...app, key: await app.newKey() }
    const made = await callTool(other, 'create_session', { title: 'Rust', slides: slides.slice(0, 2), isLive: true })
    const second = await callTool(other, 'get_session', { sessionId: made.structuredContent.id }, { meta, era: 'legacy' })
    assert.ok(shown(surfaceOf(second)).texts.includes('Rust'))
    assert.ok(!surfaceOf(second).includes(canary))
    assert.equal(model.requests.length, 1)
    // What a button says is an ordinary call.
    const button = shown(surfaceOf(second)).components.find(({ action }) => action?.event?.name === 'get_session_analytics')
    const called = await callTool(other, button?.action?.event?.name ?? '', { ...button?.action?.event?.context })
    assert.equal(called.structuredContent.sessionId, made.structuredContent.id)
  }))

test('nothing of a talk, its notes or its leads is in what the model is asked', () =>
  withModel(lays, async ({ app, model, sessionId }) => {
    const details = { sessionId, email: 'ada@example.com', name: 'Ada Quokka', company: 'Wombat', consent: true }
    await callTool(app, 'submit_attendee_lead', details)
    for (const [tool, args] of [
      ['list_sessions', {}],
      ['get_session', { sessionId }],
      ['get_session_analytics', { sessionId }],
      ['export_leads', { sessionId }],
    ] as const) {
      const result = await callTool(app, tool, args, { meta })
      assert.notEqual(surfaceOf(result), composeSurface(tool, result.structuredContent)?.messages, tool)
    }
    assert.match(surfaceOf(await callTool(app, 'export_leads', { sessionId }, { meta })), /Ada Quokka/)
    assert.equal(model.requests.length, 4)
    for (const { body } of model.requests) {
      assert.doesNotMatch(body, /SECRET|Grid|battery|euros|Ada|Quokka|Wombat|example\.com|rostrum\.test/i)
      assert.ok(!body.includes(sessionId))
    }
  }))

test('no model is called for a client that draws no surfaces, for an error, or where the operator leaves layouts to the rules', async () => {
  await withModel(lays, async ({ app, model, sessionId }) => {
    await callTool(app, 'get_session', { sessionId })
    const elsewhere = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: ['https://else'] } } } }
    await callTool(app, 'get_session', { sessionId }, { meta: elsewhere })
    await callTool(app, 'get_session', { sessionId: '0198c1d2-7a53-7c1e-9a40-3d2f6a1b8c90' }, { meta })
    await callTool(app, 'discover_sessions', {}, { meta })
    assert.equal(model.requests.length, 0)
  })
  const rulesAlone = { ROSTRUM_LLM_LAYOUTS: '0' }
  await withModel(
    lays,
    async ({ app, model, sessionId }) => {
      const result = await callTool(app, 'get_session', { sessionId }, { meta })
      assert.equal(surfaceOf(result), composeSurface('get_session', result.structuredContent)?.messages)
      assert.equal(model.requests.length, 0)
    },
    rulesAlone,
  )
})

const useless: Readonly<Record<string, ModelAct>> = {
  'writes prose': { pieces: ['I would put the title first.'] },
  'writes a button of its own': {
    pieces: [
      JSON.stringify([{ id: 'root', component: 'Button', child: 'title', action: { event: { name: 'delete_session', context: {} } } }]),
    ],
  },
  'writes without end': { pieces: Array.from({ length: 20 }, () => '['.repeat(1_000)) },
  'breaks off': { pieces: ['[{"id":"root",'], ends: 'cut' },
  refuses: { pieces: [], ends: 'refuse' },
  'sends garbage': { pieces: ['['], ends: 'garbage' },
}

for (const [what, act] of Object.entries(useless)) {
  test(`a model that ${what} leaves the surface to the rules, and is not asked again at once`, () =>
    withModel(
      () => act,
      async ({ app, model, sessionId }) => {
        for (const time of ['first', 'second']) {
          const result = await callTool(app, 'get_session', { sessionId }, { meta })
          assert.equal(surfaceOf(result), composeSurface('get_session', result.structuredContent)?.messages, time)
        }
        assert.equal(model.requests.length, 1)
      },
    ))
}

for (const ends of ['silent', 'stall'] as const) {
  test(`a model that is silent (${ends}) holds the answer for two seconds, and its call is ended`, () =>
    withModel(
      () => ({ pieces: ['['], ends }),
      async ({ app, model, sessionId }) => {
        const call = callTool(app, 'get_session', { sessionId }, { meta })
        await eventually(async () => model.requests.length === 1)
        // The wait begins before the request goes out, and the model says nothing that could come before or after it.
        await app.clock.advance(layoutTimes.waitMs)
        const result = await call
        assert.equal(surfaceOf(result), composeSurface('get_session', result.structuredContent)?.messages)
        await app.clock.advance(layoutTimes.callMs)
        await eventually(async () => model.aborted === 1)
      },
    ))
}
