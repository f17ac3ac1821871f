// Counts TCP dials by wrapping the one method every socket goes through, and keeps packets on the machine: a dial to
// anything but loopback fails as if nobody listened.
import { Socket } from 'node:net'

export interface Dials {
  /** Hosts dialled, in order, refused ones included. */
  hosts: string[]
  restore(): void
}

export function watchDials(): Dials {
  const hosts: string[] = []
  const original = Socket.prototype.connect
  const wrapped = function (this: Socket, ...args: unknown[]): Socket {
    const host = hostOf(args)
    hosts.push(host)
    if (host.startsWith('127.') || host === '::1') Reflect.apply(original, this, args)
    else process.nextTick(() => this.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })))
    return this
  }
  Object.defineProperty(Socket.prototype, 'connect', { value: wrapped, configurable: true, writable: true })
  return {
    hosts,
    restore: () => void Object.defineProperty(Socket.prototype, 'connect', { value: original, configurable: true, writable: true }),
  }
}

function hostOf(args: unknown[]): string {
  // `net.connect` hands over its already normalised arguments as one array.
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0]
  if (typeof first === 'object' && first !== null && 'host' in first) return String(first.host)
  return typeof args[1] === 'string' ? args[1] : 'unknown'
}
