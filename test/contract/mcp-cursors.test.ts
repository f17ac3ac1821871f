// The pages of every tool that has them (spec 4.5), on both stores: whatever comes or goes between two pages, each row that was there
// all along is seen once, in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'
import { callTool } from '../mcp/rpc.ts'

interface Paged {
  tool: string
  /** The member of the result that holds the rows. */
  member: string
  /** Arguments beside limit and cursor, over a place of its own. */
  args: Record<string, unknown>
  add(n: number): Promise<string>
  remove(id: string): Promise<void>
}

async function createSession(app: TestService, title: string): Promise<string> {
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title, isLive: true })
  return body.sessionId
}

const removeSession = async (app: TestService, id: string) => void (await app.api('DELETE', `/api/v1/agent/sessions/${id}`))

/** One after the other: what a turn lists it may remove, and the session of the leads must outlive the turns before it. */
async function* pagedTools(app: TestService): AsyncGenerator<Paged> {
  const sessions = { member: 'sessions', remove: (id: string) => removeSession(app, id) }
  yield { ...sessions, tool: 'list_sessions', args: {}, add: (n) => createSession(app, `Listed ${n}`) }
  yield { ...sessions, tool: 'discover_sessions', args: { query: 'found%' }, add: (n) => createSession(app, `Found% ${n}`) }
  const sessionId = await createSession(app, 'With leads')
  yield {
    tool: 'export_leads',
    member: 'leads',
    args: { sessionId },
    add: async (n) => (await callTool(app, 'submit_attendee_lead', { sessionId, email: `a${n}@example.com` })).structuredContent.leadId,
    remove: async (id) => void (await app.api('DELETE', `/api/v1/agent/sessions/${sessionId}/leads/${id}`)),
  }
}

const act = fc.constantFrom('add', 'remove', 'nothing')

eachStore((_, open) => {
  test('pages neither repeat nor skip, whatever is added and removed between them', () =>
    withService(
      open,
      async (app) => {
        let n = 0
        for await (const { tool, member, args, add, remove } of pagedTools(app)) {
          for (let i = 0; i < 6; i++) await add(n++)
          const page = async (limit: number, cursor?: string) =>
            (await callTool(app, tool, { ...args, limit, ...(cursor && { cursor }) })).structuredContent
          const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
          await fc.assert(
            fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(act, { minLength: 1, maxLength: 3 }), async (limit, acts) => {
              const before = idsOf((await page(50))[member])
              const removed = new Set<string>()
              const seen: string[] = []
              let cursor: string | undefined
              do {
                const result = await page(limit, cursor)
                seen.push(...idsOf(result[member]))
                cursor = result.nextCursor
                const next = acts.shift()
                if (next === 'add') await add(n++)
                // The row the cursor stands on is the hardest to lose.
                const last = seen.at(-1)
                if (next === 'remove' && last !== undefined && before.length - removed.size > 3) {
                  removed.add(last)
                  await remove(last)
                }
              } while (cursor !== undefined)
              assert.equal(new Set(seen).size, seen.length, `${tool} repeats`)
              assert.deepEqual(
                seen.filter((id) => before.includes(id)),
                before,
                tool,
              )
            }),
            { numRuns: 4 },
          )
        }
      },
      { ROSTRUM_RATE_DISCOVERY: 'off' },
    ))
})
