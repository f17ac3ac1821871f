// Receives webhooks for the bench, in a process of its own: answers 204 and remembers which ids came, and when each came first.
import { createServer } from 'node:http'

const seen = new Map<string, number>()
let repeats = 0

const server = createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    const text = JSON.stringify({ ids: seen.size, repeats, firsts: incoming.url === '/firsts' ? [...seen] : [] })
    if (incoming.url === '/reset') {
      seen.clear()
      repeats = 0
    }
    outgoing.writeHead(200, { 'Content-Length': Buffer.byteLength(text) }).end(text)
    return
  }
  const id = String(incoming.headers['webhook-id'])
  if (seen.has(id)) repeats++
  else seen.set(id, Date.now())
  incoming.resume().once('end', () => outgoing.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`)
})
