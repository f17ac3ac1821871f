// What answers have told so far: ids, links and tokens, for the calls that come after. Only the latest of each are kept, so that calls
// at once meet at the same things.
import type { Random } from '../sim/random.ts'
import { oneOf, under } from '../sim/random.ts'

export interface Attendee {
  runId: string
  token: string
}

export interface Known {
  readonly attendees: readonly Attendee[]
  /** A value of this name, of that session or run if there is one. */
  one(name: string, owner?: string): string | undefined
  /** The session or run that it is of. */
  ownerOf(value: string): string | undefined
  /** `owner`: the session or run in whose address the answer came. */
  learn(answer: unknown, from: { path: string; owner: string | undefined }): void
  /** It names nothing any more. */
  forget(value: string): void
}

const keptMost = 8

/** How the API calls the `id` of what is listed under this name. */
const idNames: Readonly<Record<string, string>> = {
  sessions: 'sessionId',
  slides: 'slideId',
  beats: 'beatId',
  runs: 'runId',
  rehearsals: 'rehearsalId',
  questions: 'questionId',
  leads: 'leadId',
  webhooks: 'id',
  deliveries: 'deliveryId',
  keys: 'keyId',
  agents: 'agentId',
  apps: 'grantId',
  invitations: 'invitationId',
  'sign-ins': 'signInId',
  signIns: 'signInId',
  accounts: 'accountId',
}

/** What is told under one name and taken under another. */
const aliases: Readonly<Record<string, string>> = {
  slug: 'key',
  subscription_id: 'id',
  delivery_id: 'deliveryId',
  event_id: 'eventId',
  nextCursor: 'cursor',
  next_cursor: 'cursor',
  next: 'after',
  claim_id: 'claim_id',
  access_token: 'access_token',
}

export function createKnown(random: Random): Known {
  const values = new Map<string, { value: string; owner: string | undefined }[]>()
  const attendees: Attendee[] = []

  function keep(name: string, value: string, owner: string | undefined): void {
    const all = values.get(name) ?? []
    values.set(name, all)
    if (!all.some((each) => each.value === value)) keepOne(all, { value, owner })
  }
  function keepOne<T>(all: T[], one: T): void {
    all.push(one)
    if (all.length > keptMost) all.splice(under(random, all.length), 1)
  }
  function learn(value: unknown, within: string, owner: string | undefined): void {
    if (Array.isArray(value)) for (const each of value) learn(each, within, owner)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string' || member === '') learn(member, name, owner)
      else if (name === 'recapUrl') keep('token', member.slice(member.lastIndexOf('/') + 1), owner)
      else if (name === 'id') keep(idNames[within] ?? within, member, owner)
      else if (aliases[name] !== undefined || name.endsWith('Id')) keep(aliases[name] ?? name, member, owner)
    }
    if ('attendeeToken' in value && 'runId' in value) keepOne(attendees, { token: String(value.attendeeToken), runId: String(value.runId) })
  }

  return {
    attendees,
    one(name, owner) {
      const all = values.get(name) ?? []
      const own = all.filter((each) => each.owner === owner)
      const from = own.length > 0 ? own : all
      return from.length === 0 ? undefined : oneOf(random, from).value
    },
    ownerOf: (value) => [...values.values()].flat().find((each) => each.value === value)?.owner,
    learn: (answer, { path, owner }) => learn(answer, path.split('/').findLast((part) => part in idNames) ?? '', owner),
    forget(value) {
      for (const [name, all] of values)
        values.set(
          name,
          all.filter((each) => each.value !== value),
        )
    },
  }
}
