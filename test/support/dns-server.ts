// A small DNS server on the loopback address whose answers the test decides, and which remembers what it was asked.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { addressBytes } from '../../server/platform/egress/destination.ts'

export type DnsAnswer = { addresses: readonly string[]; ttl?: number; cname?: string } | 'nxdomain' | 'servfail' | 'refused' | 'silent'

export interface DnsServer {
  /** `127.0.0.1:<port>`, as a resolver takes it. */
  address: string
  /** `A name` or `AAAA name`, in order. */
  asked: string[]
  close(): Promise<void>
}

const rcodes = { nxdomain: 3, servfail: 2, refused: 5 } as const

/** `answer` is asked once per query; of its addresses those of the asked family are sent. */
export async function startDnsServer(answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, peer) => {
    const { name, end } = readName(query)
    const type = query.readUInt16BE(end) === 28 ? 'AAAA' : 'A'
    asked.push(`${type} ${name}`)
    const reply = answer(name, type)
    if (reply === 'silent') return
    const question = query.subarray(12, end + 4)
    const records = typeof reply === 'string' ? [] : recordsOf(reply, type)
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? rcodes[reply] : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([head, question, ...records]), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function recordsOf(
  { addresses, ttl = 60, cname }: { addresses: readonly string[]; ttl?: number; cname?: string },
  type: 'A' | 'AAAA',
): Buffer[] {
  const owner = cname === undefined ? Buffer.from([0xc0, 0x0c]) : writeName(cname)
  const records = cname === undefined ? [] : [record(Buffer.from([0xc0, 0x0c]), 5, ttl, writeName(cname))]
  for (const address of addresses) {
    const bytes = addressBytes(address)
    if (bytes?.length === (type === 'A' ? 4 : 16)) records.push(record(owner, type === 'A' ? 1 : 28, ttl, bytes))
  }
  return records
}

function record(owner: Buffer, type: number, ttl: number, data: Uint8Array): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function writeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])
}
