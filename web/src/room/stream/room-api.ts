// The requests of an attendee: join, and one POST per kind of act. The token travels in a header only.
import { recordOf, RostrumError } from '../../../../client/error.ts'
import type { OutputOf } from '../../../../client/operations.ts'
import { request } from '../../../../client/request.ts'
import type { Delivered, SendKind } from './outbox.ts'
import type { Joined } from './wire.ts'

export interface Seat extends Joined {
  /** The person asked for sound; kept so that a reload offers it again. */
  sound: boolean
  /** As given at the door. */
  name?: string
}

type Translation = Pick<OutputOf<'get_translation'>, 'sentences' | 'isWhole'>

export interface RoomApi {
  join(body: Readonly<Record<string, unknown>>): Promise<{ ok: true; seat: Joined } | { ok: false; detail: string }>
  post(seat: Joined, kind: SendKind, body: Readonly<Record<string, unknown>>): Promise<Delivered>
  /** Null where this talk is not to be had in it. */
  translation(seat: Joined, language: string): Promise<Translation | null>
}

export function roomApi(key: string, send: typeof fetch): RoomApi {
  const call = async (method: 'GET' | 'POST', path: string, sent: { body?: unknown; token?: string; keepalive?: boolean }) => {
    const headers = sent.token === undefined ? {} : { Authorization: `Bearer ${sent.token}` }
    const { body, keepalive = false } = sent
    const response = await request(path, { method, headers, body, keepalive, credentials: 'omit', fetch: send })
    // What has no body, or lost it on its way, was done all the same.
    return recordOf(await response.json().catch(() => null))
  }
  /** A refusal as a value; what else went wrong is thrown. */
  const refused = (error: unknown) => {
    if (!(error instanceof RostrumError)) throw error
    const { status, retryAfterSeconds } = error
    return { ok: false as const, status, detail: detailOf(error.problem), waitMs: retryAfterSeconds && retryAfterSeconds * 1_000 }
  }
  return {
    join: (body) =>
      call('POST', `/api/v1/rooms/${encodeURIComponent(key)}/attendees`, { body }).then(
        // The server of this page wrote it: an answer with a token is a seat.
        (seat) => (typeof seat['attendeeToken'] === 'string' ? { ok: true, seat: seat as unknown as Joined } : { ok: false, detail: '' }),
        refused,
      ),
    // `leave` and `cta` may be the last act of a page: keepalive lets them outlive it (a beacon cannot carry the header).
    post: ({ runId, attendeeToken: token }, kind, body) =>
      call('POST', `/api/v1/runs/${runId}/${kind}`, { body, token, keepalive: kind === 'leave' || kind === 'cta' }).then(
        (answer) => ({ ok: true, answer: { ...answer } }),
        refused,
      ),
    translation: ({ runId, attendeeToken: token }, language) =>
      call('GET', `/api/v1/runs/${runId}/translations/${language}`, { token }).then(
        (found) => ('sentences' in found ? (found as unknown as Translation) : null),
        (error) => (refused(error), null),
      ),
  }
}

function detailOf({ detail }: Readonly<Record<string, unknown>>): string {
  return typeof detail === 'string' ? detail : ''
}
