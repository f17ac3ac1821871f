// The doorbell between nodes: topics of one tick travel together over a wire, PostgreSQL's NOTIFY or NATS. A ring may be lost
// while the wire is down; every reader also looks by itself, about once a second.
import { Client, type ClientConfig } from 'pg'
import type { Clock, Ids } from '@rostrum/base/clock'
import { type Doorbell, StartupError, type Topic } from './store.ts'

const tickMs = 10
const reconnectMs = 1_000

export type NodeBell = Awaited<ReturnType<typeof openNodeBell>>

/** A connection that carries payloads to every node, this one included, or loses them. */
export interface Wire {
  payloadMaxBytes: number
  send(payload: string): Promise<void>
  close(): Promise<void>
}

export interface WireEvents {
  onPayload(payload: string): void
  /** The connection is gone for good: open another. */
  onLost(): void
}

type OpenWire = (events: WireEvents) => Promise<Wire>

interface BellParts {
  openWire: OpenWire
  doorbell: Doorbell
  clock: Clock
  ids: Ids
}

/** Connects and listens; rejects when the first connection fails. Later it reconnects by itself. */
export async function openNodeBell({ openWire, doorbell, clock, ids }: BellParts) {
  const node = ids.uuid()
  const waiting = new Set<Topic>()
  let wire: Wire | null = await connect()
  let cancelTick: (() => void) | null = null
  let cancelReconnect = () => {}
  let sent: Promise<unknown> = Promise.resolve()
  let isClosed = false

  async function connect(): Promise<Wire> {
    const fresh: { wire: Wire | null } = { wire: null }
    const opened = await openWire({
      onPayload(payload) {
        const [sender, ...topics] = payload.split('\n')
        if (sender !== node) doorbell.ring(topics)
      },
      onLost() {
        if (fresh.wire === null || wire !== fresh.wire || isClosed) return
        wire = null
        reconnectLater()
      },
    })
    fresh.wire = opened
    return opened
  }

  function reconnectLater(): void {
    cancelReconnect = clock.after(reconnectMs, () => void reconnect())
  }

  async function reconnect(): Promise<void> {
    try {
      const fresh = await connect()
      if (isClosed) return await fresh.close()
      wire = fresh
      send()
    } catch {
      if (!isClosed) reconnectLater()
    }
  }

  /** What waits is kept for the next wire where there is none. One that fails is a lost hint: the wire says by itself when it is gone. */
  function send(): void {
    cancelTick?.()
    cancelTick = null
    const through = wire
    if (through === null) return
    const payloads = payloadsOf(node, waiting, through.payloadMaxBytes)
    waiting.clear()
    for (const payload of payloads) sent = sent.then(() => through.send(payload)).catch(() => undefined)
  }

  return {
    /** Rings here at once and on the other nodes within a tick. */
    ring(topics: readonly Topic[]): void {
      doorbell.ring(topics)
      for (const topic of topics) waiting.add(topic)
      if (waiting.size > 0 && !isClosed) cancelTick ??= clock.after(tickMs, send)
    },
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      cancelReconnect()
      send()
      await sent
      await wire?.close().catch(() => undefined)
    },
  }
}

/** Topics joined by line ends behind the sender's name, in as few payloads as fit. */
function payloadsOf(node: string, topics: Iterable<Topic>, maxBytes: number): string[] {
  const payloads: string[] = []
  let payload = node
  for (const topic of topics) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(topic) + 1 > maxBytes) {
      payloads.push(payload)
      payload = node
    }
    payload += `\n${topic}`
  }
  if (payload !== node) payloads.push(payload)
  return payloads
}

// The wire where there is only PostgreSQL: NOTIFY on a connection of its own, without waiting for the disk.
const channel = 'rostrum'
/** PostgreSQL refuses payloads of 8,000 bytes. */
const payloadMaxBytes = 7_900

export function postgresWire(config: ClientConfig): OpenWire {
  return async ({ onPayload, onLost }) => {
    const client = new Client(config)
    client.on('error', onLost)
    client.on('end', onLost)
    client.on('notification', ({ payload = '' }) => onPayload(payload))
    await client.connect()
    await client.query(`SET synchronous_commit = off`)
    await client.query(`LISTEN ${channel}`)
    return {
      payloadMaxBytes,
      async send(payload) {
        await client.query('SELECT pg_notify($1, $2)', [channel, payload])
      },
      close: () => client.end(),
    }
  }
}

// The bell's wire for many nodes (`NATS_URL`): ten times the rate of NOTIFY at a tenth of its cost, and none of it on the
// database. The client reconnects by itself and keeps at it for ever.

const subject = 'rostrum.bell'
const connectMs = 5_000
/** Far below what a server takes by default, 1 MiB. */
const natsPayloadMaxBytes = 256 * 1_024

/** `address` may carry a user and a password, or a token as the user. */
export function natsWire(address: string): OpenWire {
  return async ({ onPayload, onLost }) => {
    // Not loaded where nobody needs it.
    const { connect } = await import('@nats-io/transport-node')
    const { server, credentials } = splitAddress(address)
    const connection = await connect({
      servers: server,
      name: 'rostrum',
      timeout: connectMs,
      maxReconnectAttempts: -1,
      noEcho: true,
      ...credentials,
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StartupError(`NATS cannot be used: ${reason}. Check NATS_URL and that the server is running.`, { cause: error })
    })
    connection.subscribe(subject, { callback: (error, message) => void (error === null && onPayload(message.string())) })
    void connection.closed().then(onLost)
    await connection.flush()
    return {
      payloadMaxBytes: natsPayloadMaxBytes,
      async send(payload) {
        connection.publish(subject, payload)
      },
      close: () => connection.drain(),
    }
  }
}

function splitAddress(address: string): { server: string; credentials: { user: string; pass: string } | { token: string } | object } {
  const url = new URL(address)
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ''
  url.password = ''
  const server = url.href.replace(/\/$/, '')
  if (user === '') return { server, credentials: {} }
  return { server, credentials: pass === '' ? { token: user } : { user, pass } }
}
