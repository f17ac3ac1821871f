// One call of an operation, drawn from what is known: mostly one that should succeed, now and then one that is wrong somewhere.
import type { TestService } from '../service.ts'
import type { Random } from '../sim/random.ts'
import { oneOf, under, uuidOf } from '../sim/random.ts'
import type { Described, Parameter } from './described.ts'
import { draw, oddText } from './draw.ts'
import { busy, goodBodies } from './good-bodies.ts'
import type { Attendee, Known } from './known.ts'

export interface Callers {
  key: string
  /** Of another account. */
  othersKey: string
  /** The headers of a page where somebody is signed in. */
  page: Readonly<Record<string, string>>
}

export interface Call {
  operation: Described
  /** The session or run in its address. */
  owner: string | undefined
  /** What its address names last. */
  named: string | undefined
  address: string
  init: { method: string; headers: Record<string, string>; body?: string | FormData }
  /** Which of the processes it goes to. */
  service: TestService
}

export interface Chance {
  random: Random
  known: Known
  operations: readonly Described[]
  services: readonly TestService[]
  callers: Callers
  /** An address that may be fetched. */
  url: string
  /** The session that half of the calls meet at. */
  focus: string | undefined
}

const goodShare = 0.7
const oddShare = 0.05
const repeatKeys = 8
const files = ['# A\n- b\n\n# C\n- d', 'junk', '%PDF-1.4 junk', '']

export function drawCall(chance: Chance): Call {
  const { random, known, services } = chance
  const operation = drawOperation(chance)
  const isGood = random() < goodShare
  const attendee = known.attendees.length === 0 ? undefined : oneOf(random, known.attendees)
  const named = namedIn(operation.path, attendee, chance)
  const owner = named.get('sessionId') ?? named.get('runId')
  const drawing = { random, url: chance.url, oddShare: isGood ? 0 : oddShare, known: (name: string) => known.one(name, owner) }

  const query = new URLSearchParams()
  for (const parameter of operation.parameters.filter(({ in: place }) => place === 'query')) {
    if (!parameter.required && random() >= (isGood ? 0.15 : 0.4)) continue
    const value = draw(parameter.schema, drawing, parameter.name)
    query.set(parameter.name, typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))
  }
  const inPath = (name: string) => (isGood || random() >= oddShare ? named.get(name) : oddText(random)) || uuidOf(random)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath(name)))
  const headers = { ...callerOf(operation, attendee, isGood, chance), ...acceptOf(operation, random) }
  if (takesKey(operation.parameters) && random() < 0.1) headers['Idempotency-Key'] = `key-${under(random, repeatKeys)}`

  const good = isGood ? goodBodies[operation.name]?.(drawing) : undefined
  const sent = good === undefined ? drawBody(operation, drawing) : json(good)
  if (sent?.type !== undefined) headers['Content-Type'] = isGood || random() >= oddShare ? sent.type : 'text/css'
  return {
    operation,
    owner,
    named: named.get(namesIn(operation.path).at(-1) ?? ''),
    address: query.size === 0 ? path : `${path}?${query.toString()}`,
    init: { method: operation.method, headers, ...(sent && { body: sent.body }) },
    service: oneOf(random, services),
  }
}

function drawOperation({ random, operations }: Chance): Described {
  const wanted = random() < 0.6 ? oneOf(random, busy) : undefined
  return operations.find(({ name }) => name === wanted) ?? oneOf(random, operations)
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Values for the names in an address that belong together: a slide and its session, an attendee and their run. */
function namedIn(path: string, attendee: Attendee | undefined, { random, known, focus }: Chance): Map<string, string | undefined> {
  const [outer = '', inner = ''] = namesIn(path)
  const met = outer === 'sessionId' && random() < 0.5 ? focus : undefined
  const thing = known.one(inner, met)
  const owner = met ?? (thing === undefined ? undefined : known.ownerOf(thing))
  return new Map([
    [inner, thing],
    [outer, outer === 'runId' ? attendee?.runId : (owner ?? known.one(outer))],
  ])
}

const takesKey = (parameters: readonly Parameter[]) => parameters.some(({ name }) => name === 'Idempotency-Key')

function acceptOf({ answers }: Described, random: Random): Record<string, string> {
  return answers.length === 0 ? {} : { Accept: oneOf(random, answers) }
}

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })

function callerOf(
  { callers: wanted }: Described,
  attendee: Attendee | undefined,
  isGood: boolean,
  { random, known, callers: { key, othersKey, page } }: Chance,
): Record<string, string> {
  const agent = known.one('access_token')
  if (!isGood && random() < 2 * oddShare) return oneOf(random, [{}, bearer('nonsense'), bearer(attendee?.token ?? ''), bearer(key), page])
  if (wanted.has('attendee') && attendee !== undefined && (!wanted.has('bearer') || random() < 0.7)) return bearer(attendee.token)
  if (wanted.has('bearer')) {
    const chance = random()
    if (chance < 0.05) return bearer(othersKey)
    return chance < 0.15 && agent !== undefined ? bearer(agent) : bearer(key)
  }
  return wanted.has('cookie') ? { ...page } : {}
}

const json = (value: unknown): { type?: string; body: string | FormData } => ({ type: 'application/json', body: JSON.stringify(value) })

function drawBody({ bodies }: Described, drawing: Parameters<typeof draw>[1]): ReturnType<typeof json> | undefined {
  const { random, oddShare: share } = drawing
  const types = Object.entries(bodies)
  if (types.length === 0 || random() < share) return undefined
  const [type, { schema }] = oneOf(random, types)
  if (type === 'application/json') return json(draw(schema, drawing))
  if (type !== 'multipart/form-data') return { type, body: oneOf(random, files) }
  const form = new FormData()
  form.set('file', new Blob([oneOf(random, files)]), oneOf(random, ['a.md', 'a.pdf', 'b.txt']))
  return { body: form }
}
