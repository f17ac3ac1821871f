// A NATS server in a few lines: the text protocol as far as publish and subscribe go, on a free port. Its connections can be cut.
import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'

export interface TestNats {
  url: string
  /** Messages that came in, each once. */
  published(): number
  /** Ends every connection; clients may come back. */
  cut(): void
  close(): Promise<void>
}

interface Peer {
  socket: Socket
  subscriptions: Map<string, string>
  echo: boolean
}

/** `token`: clients must bring it as the user of their address. */
export async function startNats(token?: string): Promise<TestNats> {
  const peers = new Set<Peer>()
  let published = 0
  const server = createServer((socket) => {
    const peer: Peer = { socket, subscriptions: new Map(), echo: true }
    peers.add(peer)
    let buffered = Buffer.alloc(0)
    socket.on('close', () => peers.delete(peer)).on('error', () => undefined)
    const auth = token === undefined ? {} : { auth_required: true }
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'test', version: '2.10.0', proto: 1, headers: true, max_payload: 1_048_576, ...auth })}\r\n`,
    )
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (;;) {
        const end = buffered.indexOf('\r\n')
        if (end < 0) return
        const [word = '', ...args] = buffered.subarray(0, end).toString().split(' ')
        if (word.toUpperCase() === 'PUB') {
          const size = Number(args.at(-1))
          if (buffered.length < end + 2 + size + 2) return
          deliver(peer, args[0] ?? '', buffered.subarray(end + 2, end + 2 + size))
          buffered = buffered.subarray(end + 2 + size + 2)
          continue
        }
        obey(peer, word.toUpperCase(), args)
        buffered = buffered.subarray(end + 2)
      }
    })
  })

  function obey(peer: Peer, word: string, args: readonly string[]): void {
    if (word === 'PING') peer.socket.write('PONG\r\n')
    if (word === 'SUB') peer.subscriptions.set(args.at(-1) ?? '', args[0] ?? '')
    if (word === 'UNSUB') peer.subscriptions.delete(args[0] ?? '')
    if (word !== 'CONNECT') return
    const told = JSON.parse(args.join(' ')) as { echo?: boolean; auth_token?: string }
    peer.echo = told.echo !== false
    if (token !== undefined && told.auth_token !== token) peer.socket.end("-ERR 'Authorization Violation'\r\n")
  }

  function deliver(from: Peer, subject: string, payload: Buffer): void {
    published++
    for (const peer of peers) {
      if (peer === from && !peer.echo) continue
      for (const [id, wanted] of peer.subscriptions) {
        if (wanted === subject)
          peer.socket.write(Buffer.concat([Buffer.from(`MSG ${subject} ${id} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]))
      }
    }
  }

  const port = await listening(server)
  return {
    url: `nats://${token === undefined ? '' : `${token}@`}127.0.0.1:${port}`,
    published: () => published,
    cut() {
      for (const { socket } of peers) socket.destroy()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const { socket } of peers) socket.destroy()
      await closed
    },
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return address.port
}
