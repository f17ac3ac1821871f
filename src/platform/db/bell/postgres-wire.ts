// The bell's wire where there is only PostgreSQL: NOTIFY on a connection of its own, without waiting for the disk.
import { Client, type ClientConfig } from 'pg'
import type { OpenWire } from './node-bell.ts'

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
