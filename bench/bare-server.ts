// The floor of the API and tool benches: what `node:http` alone costs for the same answers. It knows each answer as the measured server
// gave it, and for every call reads the request to its end, parses a body as JSON, turns an object of the same shape into text, and
// sends it with the same headers.
import { createServer } from 'node:http'
import type { KnownAnswer } from './load.ts'

const [, , port, known] = process.argv
// Written by `startBare` alone.
const answers = new Map((JSON.parse(known ?? '[]') as KnownAnswer[]).map((answer) => [`${answer.method} ${answer.path}`, answer]))

createServer((incoming, outgoing) => {
  const answer = answers.get(`${incoming.method} ${incoming.url}`)
  if (answer === undefined) {
    outgoing.writeHead(404).end()
    return
  }
  const send = () => {
    const text = JSON.stringify(answer.value)
    outgoing.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(text) }).end(text)
  }
  if (incoming.method === 'GET') {
    send()
    return
  }
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    send()
  })
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))
