// The floor of the API bench: what `node:http` alone costs. A POST is parsed as JSON and answered as a JSON-RPC result.
import { createServer } from 'node:http'

const port = Number(process.argv[2])
const body = JSON.stringify({ id: 'x'.repeat(36), title: 'Bench', status: 'draft', slidesCount: 1, createdAt: '2026-11-20T12:00:00.000Z' })
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    outgoing.writeHead(200, headers).end(body)
    return
  }
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number }
    const answer = JSON.stringify({
      jsonrpc: '2.0',
      id: id ?? null,
      result: { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body) },
    })
    outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) }).end(answer)
  })
}).listen(port, '127.0.0.1', () => process.stdout.write('ready\n'))
