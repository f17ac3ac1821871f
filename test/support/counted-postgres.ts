// What PostgreSQL has been asked by this process counts as under way until it has answered: every connection made, every statement,
// and every ring until the processes that listen have heard it. It wraps the two methods that everything goes through.
import { Client } from 'pg'
import { begin } from './under-way.ts'

const { connect, query } = Client.prototype
/** What each connection that listens is still to hear. */
const listening = new Map<Client, { payload: unknown; end: () => void }[]>()
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

function follow(client: Client): void {
  const awaited: { payload: unknown; end: () => void }[] = []
  listening.set(client, awaited)
  client.on('notification', ({ payload }) => {
    const at = awaited.findIndex((one) => one.payload === payload)
    if (at !== -1) awaited.splice(at, 1)[0]?.end()
  })
  client.once('end', () => {
    listening.delete(client)
    for (const { end } of awaited.splice(0)) end()
  })
}

/** Whoever listens on the same database hears it, the sender among them; nobody where the statement failed. */
function awaitHearing(sender: Client, payload: unknown, sent: Promise<unknown>): void {
  for (const [client, awaited] of listening) {
    if (client.database !== sender.database) continue
    const one = { payload, end: begin() }
    awaited.push(one)
    sent.catch(() => {
      one.end()
      if (awaited.includes(one)) awaited.splice(awaited.indexOf(one), 1)
    })
  }
}

function countedQuery(this: Client, ...args: unknown[]): unknown {
  const [asked, values] = args
  const text = textOf(asked)
  const answer: unknown = Reflect.apply(query, this, args)
  if (!(answer instanceof Promise)) return answer
  const end = begin()
  answer.then(end, end)
  if (text.startsWith('LISTEN')) answer.then(() => follow(this)).catch(() => undefined)
  if (text.includes('pg_notify') && Array.isArray(values)) awaitHearing(this, values[1], answer)
  return answer
}

/** For this process, from the first store on. */
export function countPostgres(): void {
  Object.defineProperty(Client.prototype, 'connect', { value: countedConnect, configurable: true, writable: true })
  Object.defineProperty(Client.prototype, 'query', { value: countedQuery, configurable: true, writable: true })
}
