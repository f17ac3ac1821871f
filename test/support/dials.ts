// Counts TCP dials by wrapping the one method every socket goes through, and keeps packets on the machine: a dial to
// anything but loopback fails as if nobody listened.
import { isIP, Socket } from 'node:net'

export interface Dials {
  /** Hosts dialled, in order, refused ones included. */
  hosts: string[]
  restore(): void
}

export function watchDials(): Dials {
  const hosts: string[] = []
  const original = Socket.prototype.connect
  const wrapped = function (this: Socket, ...args: unknown[]): Socket {
    const dialled = addressesOf(args)
    hosts.push(...dialled)
    if (dialled.every((host) => host.startsWith('127.') || host === '::1')) Reflect.apply(original, this, args)
    else process.nextTick(() => this.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })))
    return this
  }
  Object.defineProperty(Socket.prototype, 'connect', { value: wrapped, configurable: true, writable: true })
  return {
    hosts,
    restore: () => void Object.defineProperty(Socket.prototype, 'connect', { value: original, configurable: true, writable: true }),
  }
}

/** What is dialled: the host, or the addresses that it was pinned to. A name without any is one that the system would look up. */
function addressesOf(args: unknown[]): string[] {
  // `net.connect` hands over its already normalised arguments as one array.
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0]
  if (typeof first !== 'object' || first === null || !('host' in first)) return [typeof args[1] === 'string' ? args[1] : 'unknown']
  const host = String(first.host)
  const found: string[] = []
  if (isIP(host) === 0 && 'lookup' in first && typeof first.lookup === 'function') {
    Reflect.apply(first.lookup, undefined, [
      host,
      { all: true },
      (_: unknown, addresses: readonly { address: string }[]) => void found.push(...addresses.map(({ address }) => address)),
    ])
  }
  return found.length > 0 ? found : [host]
}
