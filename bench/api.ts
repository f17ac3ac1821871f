// CPU time of the server per request, against a bare `node:http` server in the same run, both asked by the same client.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { freePort, startServer } from '../test/support/server.ts'
import type { Report } from './report.ts'
import { median } from './report.ts'

const connections = 8
const rounds = 5
const perRound = 2_000

/** Clock ticks of the process, user and system; 10 ms each on Linux. */
function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

interface Target {
  pid: number
  port: number
  path: string
  method: string
  headers: Record<string, string>
  body?: string
}

function send(agent: Agent, { port, path, method, headers, body }: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/** Microseconds of CPU per request. */
async function cost(agent: Agent, target: Target, count: number): Promise<number> {
  const before = ticks(target.pid)
  let left = count
  const lane = async () => {
    while (left-- > 0) await send(agent, target)
  }
  await Promise.all(Array.from({ length: connections }, lane))
  return ((ticks(target.pid) - before) * 10_000) / count
}

export async function benchApi(): Promise<Report> {
  const server = await startServer({ env: { ROSTRUM_RATE_API: 'off', ROSTRUM_PLAN_SESSIONS: '1000000' } })
  const barePort = await freePort()
  const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-server.ts', import.meta.url)), String(barePort)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => bare.stdout.once('data', resolve))
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    const key = await server.command('key', 'create', '--name', 'bench')
    const port = Number(new URL(server.baseUrl).port)
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const create = JSON.stringify({ title: 'Bench', slides: [{ textContent: 'Bench\n- One' }] })
    const created = await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { method: 'POST', headers, body: create }).then(
      (response) => response.json() as Promise<Record<string, string>>,
    )
    const own = { pid: server.pid, port, headers }
    const get: Target = { ...own, method: 'GET', path: `/api/v1/agent/sessions/${created['sessionId']}` }
    const post: Target = { ...own, method: 'POST', path: '/api/v1/agent/sessions', body: create }
    const mcp: Target = {
      ...own,
      method: 'POST',
      path: '/mcp',
      headers: {
        ...headers,
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'get_session',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'get_session',
          arguments: { sessionId: created['sessionId'] },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    }
    const floor: Target = { pid: bare.pid ?? 0, port: barePort, method: 'GET', path: '/', headers: {} }
    const rpcFloor: Target = { ...floor, method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' }, body: mcp.body ?? '' }
    for (const target of [get, post, mcp, floor, rpcFloor]) await cost(agent, target, 300)
    const ratios = { get: [] as number[], post: [] as number[], mcp: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      const base = await cost(agent, floor, perRound)
      ratios.get.push((await cost(agent, get, perRound)) / base)
      ratios.post.push((await cost(agent, post, perRound / 4)) / (await cost(agent, rpcFloor, perRound / 4)))
      ratios.mcp.push((await cost(agent, rpcFloor, perRound)) / (await cost(agent, mcp, perRound)))
    }
    const [getRatio, postRatio, mcpShare] = [median(ratios.get), median(ratios.post), median(ratios.mcp)]
    return {
      suite: 'API and MCP (server CPU, against bare node:http in the same run)',
      rows: [
        { claim: 'authenticated GET of a session', measured: `${getRatio.toFixed(2)} x`, owed: '<= 2.0 x', holds: getRatio <= 2 },
        {
          claim: 'POST create, store and commit included',
          measured: `${postRatio.toFixed(2)} x`,
          owed: '<= 1.6 x plus the commit (not taken off here)',
          holds: postRatio <= 1.6,
        },
        { claim: 'tools/call get_session, modern era', measured: `${mcpShare.toFixed(2)} of raw`, owed: '>= 0.20', holds: mcpShare >= 0.2 },
      ],
      figures: { getRatio, postRatio, mcpShare },
    }
  } finally {
    agent.destroy()
    bare.kill()
    await server.stop()
  }
}
