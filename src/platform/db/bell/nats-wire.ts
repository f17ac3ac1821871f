// The bell's wire for many nodes (`NATS_URL`): ten times the rate of NOTIFY at a tenth of its cost, and none of it on the
// database. The client reconnects by itself and keeps at it for ever.
import { connect } from '@nats-io/transport-node'
import { StartupError } from '../store.ts'
import type { OpenWire } from './node-bell.ts'

const subject = 'rostrum.bell'
const connectMs = 5_000
/** Far below what a server takes by default, 1 MiB. */
const payloadMaxBytes = 256 * 1_024

/** `address` may carry a user and a password, or a token as the user. */
export function natsWire(address: string): OpenWire {
  return async ({ onPayload, onLost }) => {
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
      payloadMaxBytes,
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
