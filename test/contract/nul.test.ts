// U+0000 is text that PostgreSQL cannot store: wherever a call carries it, the caller is refused and nothing fails inside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { allOperations } from '../support/operations.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const unknownId = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11'

/** Every member of the input that may be text, with U+0000 in it. */
function nuls(input: z.ZodType): Record<string, string> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const texts = Object.entries(properties).filter(([, property]) => typeof property === 'object' && property.type === 'string')
  return Object.fromEntries(texts.map(([name]) => [name, 'a\u0000b']))
}

eachStore((_, open) => {
  test('U+0000 in the address, the query or the body of any call is never a fault of ours', () =>
    withService(
      open,
      async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides: [{ textContent: 'Grid' }] })
        const joined = await app.api('POST', `/api/v1/rooms/${body.slug}/attendees`, {}, null)
        const { attendeeToken, runId } = joined.body
        const known: Record<string, string> = { sessionId: body.sessionId, runId, key: body.slug }
        let calls = 0
        for (const { http, input, name } of allOperations) {
          if (http === undefined || name === 'delete_session') continue
          const members = nuls(input)
          const query = new URLSearchParams(members).toString()
          for (const fill of [() => 'a%00b', (member: string) => known[member] ?? unknownId]) {
            const path: string = http.path.replace(/\{(\w+)\}/g, (_all, member: string) => fill(member))
            for (const token of [app.key, attendeeToken]) {
              const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
              const isRead = http.method === 'GET' || http.method === 'DELETE'
              const init = isRead ? {} : { body: JSON.stringify(members) }
              const { status, text } = await app.request(isRead ? `${path}?${query}` : path, { method: http.method, headers, ...init })
              assert.ok(status < 500, `${name} ${path}: ${text}`)
              calls++
            }
          }
        }
        assert.ok(calls > 200, `only ${calls} calls`)
      },
      { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_ROOM: 'off', ROSTRUM_RATE_JOIN: 'off' },
    ))
})
