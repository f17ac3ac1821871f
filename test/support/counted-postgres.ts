// What PostgreSQL has been asked by this process counts as under way until it has answered: every connection made, every statement,
// and every ring until the processes that listen have heard it. It wraps the two methods that everything goes through.
import { Client } from 'pg'
import { begin, track } from './under-way.ts'

const { connect, query } = Client.prototype
const listening = new Set<Client>()
const textOf = (asked: unknown): string =>
  typeof asked === 'object' && asked !== null && 'text' in asked ? String(asked.text) : String(asked)

function countedConnect(this: Client, told?: (error: Error | null) => void): unknown {
  const end = begin()
  const args: unknown[] = []
  // The pool brings a function, everybody else awaits.
  if (told !== undefined) {
    args.push((error: Error | null) => {
      end()
      told(error)
    })
  }
  const connected: unknown = Reflect.apply(connect, this, args)
  if (connected instanceof Promise) connected.then(end, end)
  return connected
}

/** A connection has what was notified before its next answer, so that an answer shows that it has. */
async function heard(ring: Promise<unknown>): Promise<void> {
  await ring
  await Promise.allSettled([...listening].map((client) => client.query('SELECT 1')))
}

function countedQuery(this: Client, ...args: unknown[]): unknown {
  const text = textOf(args[0])
  const answer: unknown = Reflect.apply(query, this, args)
  if (!(answer instanceof Promise)) return answer
  track(answer.catch(() => undefined))
  if (text.startsWith('LISTEN')) {
    listening.add(this)
    this.once('end', () => listening.delete(this))
  }
  if (text.includes('pg_notify')) track(heard(answer).catch(() => undefined))
  return answer
}

/** For this process, from the first store on. */
export function countPostgres(): void {
  Object.defineProperty(Client.prototype, 'connect', { value: countedConnect, configurable: true, writable: true })
  Object.defineProperty(Client.prototype, 'query', { value: countedQuery, configurable: true, writable: true })
}
