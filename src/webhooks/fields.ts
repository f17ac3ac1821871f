// Members that several operations of webhooks take, with their words and bounds.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { EventType } from '../kernel/events.ts'
import { eventType, eventTypes } from '../kernel/events.ts'
import { limits, text } from '../kernel/fields.ts'
import { invalidInput } from '../kernel/parse.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { refusalWords } from '../outbound/outcome.ts'
import type { Reader, Tx } from '../storage/store.ts'
import { readSecret } from './signature.ts'

export const webhookId = text(64).min(1).describe('Id of the webhook.')
export const deliveryId = text(128).min(1).describe('Id of the delivery.')
export const url = text(limits.url).min(1).describe('Where events are posted: a public https address.')
export const wantedTypes = z.array(eventType).min(1).max(50).describe('The events to send; each is named, there is no wildcard.')
export const sessionFilter = z.uuid().describe('Only events of this session.')
export const description = text(200).describe('For you: what this webhook is for.')
export const ownSecret = text(200).describe(
  'A secret of your own: `whsec_` and the padded base64 of 24 to 64 bytes. Otherwise one is made.',
)
export const ed25519 = z.boolean().describe('Also sign with Ed25519 (`v1a`), so that receivers need no secret.')

/** Each type once, in the order of the specification. */
export function folded(types: readonly EventType[]): EventType[] {
  return eventTypes.filter((type) => types.includes(type))
}

/** One text for every reason, so that nobody learns from us what lies in a private network. */
export async function requireDestination(vet: Outbound['vet'], destination: string): Promise<void> {
  const verdict = await vet(destination)
  if (!verdict.ok) throw new ServiceError('url_not_allowed', refusalWords, { errors: [{ pointer: '#/url', detail: refusalWords }] })
}

export function requireSecret(secret: string): Buffer {
  const key = readSecret(secret)
  if (key !== undefined) return key
  throw invalidInput([{ pointer: '#/secret', detail: 'send `whsec_` and the padded base64 of 24 to 64 bytes.' }])
}

export async function requireSession(read: Reader | Tx, accountId: string, sessionId: string): Promise<void> {
  const found = await read
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (found === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
}
