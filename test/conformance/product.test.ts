// The official conformance suite against the product itself. The referee sends no credential, so a proxy adds one.
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { Server } from 'node:http'
import { after, before, test } from 'node:test'
import type { TestServer } from '../support/server.ts'
import { freePort, startServer } from '../support/server.ts'
import { frozenLists } from './frozen-lists.ts'
import { referee } from './referee.ts'

let service: TestServer
let proxy: Server
let url: string

before(async () => {
  service = await startServer({ env: { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_DISCOVERY: 'off' } })
  const key = await service.command('key', 'create', '--name', 'conformance')
  const port = await freePort()
  proxy = withCredential(new URL(service.baseUrl).port, key)
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  url = `http://localhost:${port}/mcp`
})
after(async () => {
  proxy.close()
  proxy.closeAllConnections()
  await service.stop()
})

function withCredential(port: string, key: string): Server {
  // A connection that rests is not closed: the referee may be about to use it.
  return createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const { url: path, method, headers } = incoming
    const forwarded = { host: '127.0.0.1', port, path, method, headers: { authorization: `Bearer ${key}`, ...headers } }
    const sent = request(forwarded, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    sent.once('error', () => outgoing.destroy())
    incoming.pipe(sent)
  })
}

for (const [revision, { passing, expectedFailures }] of Object.entries(frozenLists)) {
  test(`every applicable scenario of ${revision} passes, and every message of ours is valid on the wire`, async () => {
    const found = await referee(url, revision)
    const unexpected: string[] = []
    const excused = new Set<string>()
    for (const scenario of passing) {
      const checks = found.get(scenario)
      assert.ok(checks !== undefined, `${scenario} was not run`)
      for (const { id, status, errorMessage } of checks) {
        if (status !== 'FAILURE') continue
        if (expectedFailures[id] === undefined) unexpected.push(`${scenario}: ${id} ${errorMessage ?? ''}`)
        else excused.add(id)
      }
    }
    for (const [scenario, checks] of found) {
      for (const { id, status } of checks) if (id === 'wire-schema-valid' && status === 'FAILURE') unexpected.push(`${scenario}: ${id}`)
    }
    assert.deepEqual(unexpected, [])
    assert.deepEqual([...excused].toSorted(), Object.keys(expectedFailures).toSorted(), 'an expected failure passes: take it off the list')
  })
}
