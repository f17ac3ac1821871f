// Calls drawn from /openapi.json, many at once, valid and not: each is answered, as the document says. They go in rounds: those of one
// round are drawn from what the answers before it have told, and sent together, each to one of the processes that serve the store.
import { ensureOwner } from '../../../server/accounts/sign-in.ts'
import { startSignIn } from '../../../server/accounts/sign-ins.ts'
import { systemIds } from '@rostrum/base/clock'
import type { ManualClock } from '../clock.ts'
import { passUntil } from '../clock.ts'
import { startReceiver } from '../outbound.ts'
import { patienceMs } from '../patience.ts'
import type { Answer, TestService } from '../service.ts'
import { randomOf, under } from '../sim/random.ts'
import { describedIn } from './described.ts'
import type { Call, Callers, Chance } from './draw-call.ts'
import { drawCall } from './draw-call.ts'
import { goodBodies } from './good-bodies.ts'
import { createKnown } from './known.ts'

export interface RandomCalls {
  seed: number
  calls: number
  /** Of one store, with one clock; the calls go to all of them. */
  services: readonly [TestService, ...TestService[]]
}

export interface CallsReport {
  /** How many answers had which status. */
  statuses: Record<number, number>
  /** Operations that succeeded at least once. */
  succeeded: Set<string>
  /** Each answer that is not as described, with its call. */
  faults: string[]
}

const atOnce = 24
/** So much time passes at most between two rounds: talks go on. */
const pauseMs = 1_000
const person = { email: 'maya@example.com', password: 'a quiet orange paper boat' }

export async function callAtRandom({ seed, calls, services }: RandomCalls): Promise<CallsReport> {
  const random = randomOf(seed)
  const known = createKnown(random)
  const report: CallsReport = { statuses: {}, succeeded: new Set(), faults: [] }
  const [first] = services
  const { clock, service, newKey } = first
  const operations = describedIn((await first.request('/openapi.json')).body)
  await ensureOwner(service.auth.deps, person, clock.now())
  const othersKey = await newKey()
  const receiver = await startReceiver((_request, response) => response.end('ok'))
  const url = `${receiver.url}/hook`
  try {
    await furnish(first, { random, known, url })
    for (let sent = 0; sent < calls; sent += atOnce) {
      // Those of the round before may have been revoked in it.
      const callers = { key: await newKey({ accountId: first.accountId }), othersKey, page: await signedIn(first) }
      const chance = { random, known, operations, services, callers, url, focus: known.one('sessionId') }
      const round = Array.from({ length: Math.min(atOnce, calls - sent) }, () => drawCall(chance))
      for (const { call, answer } of await allAnswered(clock, round)) {
        if (answer.status === 404 && call.named !== undefined) known.forget(call.named)
        known.learn(answer.body, { path: call.operation.path, owner: call.owner })
        note(report, call, answer)
      }
      await clock.advance(under(random, pauseMs))
    }
    return report
  } finally {
    await receiver.close()
  }
}

/** Something to begin with: a talk of each mode, with people in its room, and a webhook. */
async function furnish({ api }: TestService, { random, known, url }: Pick<Chance, 'random' | 'known' | 'url'>): Promise<void> {
  const make = async (method: string, path: string, owner?: string, body?: unknown) => {
    const answer = await api(method, path, body)
    known.learn(answer.body, { path, owner })
    return answer.body
  }
  const given = { random, url, known: () => undefined }
  await make('POST', '/api/v1/webhooks', undefined, goodBodies['create_webhook']?.(given))
  for (const mode of ['isolated', 'broadcast']) {
    const wanted = { ...Object(goodBodies['create_session']?.(given)), isLive: true, mode }
    const { sessionId, slug } = await make('POST', '/api/v1/agent/sessions', undefined, wanted)
    for (const part of ['deck', 'script']) await make('GET', `/api/v1/agent/sessions/${sessionId}/${part}`, sessionId)
    for (const name of ['Ann', 'Ben']) await make('POST', `/api/v1/rooms/${slug}/attendees`, undefined, { name })
  }
}

/** The headers of a page where the owner has just signed in. */
async function signedIn({ service, store, clock, accountId, baseUrl }: TestService): Promise<Callers['page']> {
  const { jar, csrf } = service.auth.deps
  const { user_id: userId } = await store.read
    .selectFrom('memberships')
    .select('user_id')
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  const signIn = { userId, accountId, label: 'Firefox', address: '203.0.113.7', now: clock.now() }
  const { id, cookie } = await store.write((tx) => startSignIn(tx, systemIds, signIn))
  return { Cookie: `${jar.signIn}=${cookie}`, 'X-CSRF-Token': csrf.forSignIn(id), Origin: baseUrl }
}

/** Lets time pass until each call is answered; throws with those that never are. */
async function allAnswered(clock: ManualClock, round: readonly Call[]): Promise<{ call: Call; answer: Answer }[]> {
  const waiting = new Set(round)
  const answers = Promise.all(
    round.map(async (call) => {
      const answer = await call.service.request(call.address, call.init)
      waiting.delete(call)
      return { call, answer }
    }),
  )
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`Not answered:\n${[...waiting].map(wordsOf).join('\n')}`)), patienceMs)
  try {
    return await passUntil(clock, Promise.race([answers, late.promise]))
  } finally {
    clearTimeout(timer)
  }
}

function note({ statuses, succeeded, faults }: CallsReport, call: Call, answer: Answer): void {
  const { status, text } = answer
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status < 300) succeeded.add(call.operation.name)
  const fault = call.operation.fault(answer)
  if (fault !== undefined) faults.push(`${wordsOf(call)}\n  answered ${status}, which ${fault}\n  ${text.slice(0, 500)}`)
}

function wordsOf({ operation: { name }, address, init: { method, body } }: Call): string {
  return `${name}: ${method} ${address} ${typeof body === 'string' ? body.slice(0, 500) : ''}`
}
