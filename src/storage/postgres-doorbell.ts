// The doorbell between nodes: topics of one tick travel in one NOTIFY on a connection of its own, without waiting for disk.
// A ring may be lost while the connection is down; every reader also looks by itself, about once a second.
import { Client } from 'pg'
import type { ClientConfig } from 'pg'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Doorbell } from './doorbell.ts'
import type { Topic } from './store.ts'

const channel = 'rostrum'
const tickMs = 10
const reconnectMs = 1_000
/** PostgreSQL refuses payloads of 8,000 bytes. */
const payloadMaxBytes = 7_900

export interface NodeBell {
  /** Rings here at once and on the other nodes within a tick. */
  ring(topics: readonly Topic[]): void
  close(): Promise<void>
}

/** Connects and listens; rejects when the first connection fails. Later it reconnects by itself. */
export async function openNodeBell({
  config,
  doorbell,
  clock,
  ids,
}: {
  config: ClientConfig
  doorbell: Doorbell
  clock: Clock
  ids: Ids
}): Promise<NodeBell> {
  const node = ids.uuid()
  const waiting = new Set<Topic>()
  let client: Client | null = await connect()
  let sending: Promise<void> | null = null
  let cancelTimer = () => {}
  let isClosed = false

  async function connect(): Promise<Client> {
    const fresh = new Client(config)
    fresh.on('error', () => lost(fresh))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ payload = '' }) => {
      const [sender, ...topics] = payload.split('\n')
      if (sender !== node) doorbell.ring(topics)
    })
    await fresh.connect()
    await fresh.query(`SET synchronous_commit = off`)
    await fresh.query(`LISTEN ${channel}`)
    return fresh
  }

  function lost(which: Client): void {
    if (client !== which || isClosed) return
    client = null
    cancelTimer()
    cancelTimer = clock.after(reconnectMs, () => void reconnect())
  }

  async function reconnect(): Promise<void> {
    try {
      const fresh = await connect()
      if (isClosed) return await fresh.end()
      client = fresh
      scheduleSend()
    } catch {
      if (!isClosed) cancelTimer = clock.after(reconnectMs, () => void reconnect())
    }
  }

  function scheduleSend(): void {
    if (waiting.size === 0 || sending !== null || client === null || isClosed) return
    cancelTimer()
    cancelTimer = clock.after(tickMs, () => void send())
  }

  async function send(): Promise<void> {
    const through = client
    if (through === null || sending !== null) return
    const payloads = payloadsOf(node, waiting)
    waiting.clear()
    sending = (async () => {
      for (const payload of payloads) await through.query('SELECT pg_notify($1, $2)', [channel, payload])
    })()
    try {
      await sending
    } catch {
      // A lost hint; the connection's own error event begins the reconnect.
    }
    sending = null
    scheduleSend()
  }

  return {
    ring(topics) {
      if (topics.length === 0) return
      doorbell.ring(topics)
      for (const topic of topics) waiting.add(topic)
      scheduleSend()
    },
    async close() {
      if (isClosed) return
      cancelTimer()
      if (sending !== null) await sending.catch(() => undefined)
      await send()
      isClosed = true
      cancelTimer()
      await client?.end().catch(() => undefined)
    },
  }
}

/** Topics joined by line ends behind the sender's name, in as few payloads as fit. */
function payloadsOf(node: string, topics: Iterable<Topic>): string[] {
  const payloads: string[] = []
  let payload = node
  for (const topic of topics) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(topic) + 1 > payloadMaxBytes) {
      payloads.push(payload)
      payload = node
    }
    payload += `\n${topic}`
  }
  if (payload !== node) payloads.push(payload)
  return payloads
}
