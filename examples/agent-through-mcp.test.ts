// The story of agent-through-mcp.ts, line by line; how the presenter words its answer is the presenter's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../test/support/server.ts'

test('an agent registers, holds a talk and leaves a lead through the tool protocol', async () => {
  // It awaits at its top, which a test file cannot.
  const { agentThroughMcp } = await import('./agent-through-mcp.ts')
  const server = await startServer()
  try {
    const transcript: string[] = []
    await agentThroughMcp(server.baseUrl, (line) => transcript.push(line))
    assert.match(transcript[3] ?? '', /^the presenter says: .*The warranty lasts ten years\./)
    assert.deepEqual(transcript.toSpliced(3, 1), [
      'registered with sessions:read sessions:write analytics:read',
      'connected to Rostrum with 8 tools',
      'created "Why grids need batteries", published',
      'citing Warranty',
      'asked beyond the talk, the outcome is unknown',
      'left a lead with consent: true',
      '0 people have been in the room so far',
      'the talk is listed publicly: false',
      'leads stay closed until a person claims this agent',
    ])
  } finally {
    await server.stop()
  }
})
