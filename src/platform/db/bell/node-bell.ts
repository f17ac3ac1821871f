// The doorbell between nodes: topics of one tick travel together over a wire, PostgreSQL's NOTIFY or NATS. A ring may be lost
// while the wire is down; every reader also looks by itself, about once a second.
import type { Clock } from '../../clock.ts'
import type { Ids } from '../../ids.ts'
import type { Topic } from '../store.ts'
import type { Doorbell } from './doorbell.ts'
import { Client, type ClientConfig } from 'pg'

const tickMs = 10
const reconnectMs = 1_000

export interface NodeBell {
  /** Rings here at once and on the other nodes within a tick. */
  ring(topics: readonly Topic[]): void
  close(): Promise<void>
}

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

export type OpenWire = (events: WireEvents) => Promise<Wire>

interface BellParts {
  openWire: OpenWire
  doorbell: Doorbell
  clock: Clock
  ids: Ids
}

/** Connects and listens; rejects when the first connection fails. Later it reconnects by itself. */
export async function openNodeBell({ openWire, doorbell, clock, ids }: BellParts): Promise<NodeBell> {
  const node = ids.uuid()
  const waiting = new Set<Topic>()
  let wire: Wire | null = await connect()
  let sending: Promise<void> | null = null
  let cancelTimer = () => {}
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
    cancelTimer()
    cancelTimer = clock.after(reconnectMs, () => void reconnect())
  }

  async function reconnect(): Promise<void> {
    try {
      const fresh = await connect()
      if (isClosed) return await fresh.close()
      wire = fresh
      scheduleSend()
    } catch {
      if (!isClosed) reconnectLater()
    }
  }

  function scheduleSend(): void {
    if (waiting.size === 0 || sending !== null || wire === null || isClosed) return
    cancelTimer()
    cancelTimer = clock.after(tickMs, () => void send())
  }

  async function send(): Promise<void> {
    const through = wire
    if (through === null || sending !== null) return
    const payloads = payloadsOf(node, waiting, through.payloadMaxBytes)
    waiting.clear()
    sending = (async () => {
      for (const payload of payloads) await through.send(payload)
    })()
    try {
      await sending
    } catch {
      // A lost hint; the wire says by itself when it is gone.
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

// The bell's wire where there is only PostgreSQL: NOTIFY on a connection of its own, without waiting for the disk.

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
