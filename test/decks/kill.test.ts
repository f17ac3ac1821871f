// Processes that are killed while they read a deck: the next one reads it, whole and once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { buildPdf } from '../support/documents.ts'
import { startServer } from '../support/server.ts'

const pages = 40

test('kill -9 while a deck is read loses nothing: the next start reads it, each page once', async (t) => {
  const server = await startServer({ env: { ROSTRUM_RATE_API: 'off' } })
  t.after(() => server.stop())
  const key = (await server.command('key', 'create', '--name', 'kills')).trim()
  const call = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${key}`, ...(body !== undefined && { 'Content-Type': type }) }
    const answer = await fetch(`${server.baseUrl}/api/v1/agent/sessions${path}`, { method, headers, ...(body !== undefined && { body }) })
    // oxlint-disable-next-line typescript/no-explicit-any
    return (await answer.json()) as any
  }
  const { sessionId } = await call('POST', '', JSON.stringify({ title: 'Killed' }))
  const lines = (n: number) => [
    `Page ${n}`,
    ...Array.from({ length: 30 }, (_, line) => `Line ${line} of page ${n} says what nobody else says`),
  ]
  const pdf = buildPdf(Array.from({ length: pages }, (_, n) => ({ lines: lines(n) })))
  await call('PUT', `/${sessionId}/deck`, new Uint8Array(pdf), 'application/pdf')
  const untilRead = async (count: number) => {
    for (;;) {
      const deck = await call('GET', `/${sessionId}/deck`)
      if (deck.state === 'ready' || deck.state === 'failed' || deck.progress.done >= count) return deck
      // The reader has the processor meanwhile.
      await wait(20)
    }
  }
  let kills = 0
  for (const count of [1, 3]) {
    const { state } = await untilRead(count)
    if (state === 'ready') break
    await server.kill()
    await server.restart()
    kills++
  }
  const deck = await untilRead(Number.POSITIVE_INFINITY)
  assert.ok(kills > 0, 'it was read before anybody could kill it')
  assert.equal(deck.state, 'ready', deck.reason)
  assert.deepEqual(
    deck.slides.map(({ textContent }: { textContent: string }) => /^Page \d+\b/.exec(textContent)?.[0]),
    Array.from({ length: pages }, (_, n) => `Page ${n}`),
  )
})
