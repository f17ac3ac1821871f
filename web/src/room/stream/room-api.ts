// The requests of an attendee: join, and one POST per kind of act. The token travels in a header only.
import type { Delivered, SendKind } from './outbox.ts'
import type { Joined } from './wire.ts'

export interface Seat extends Joined {
  /** The person asked for sound; kept so that a reload offers it again. */
  sound: boolean
  /** As given at the door. */
  name?: string
}

export interface RoomApi {
  join(body: Readonly<Record<string, unknown>>): Promise<{ ok: true; seat: Joined } | { ok: false; detail: string }>
  post(seat: Joined, kind: SendKind, body: Readonly<Record<string, unknown>>): Promise<Delivered>
  /** Null where this talk is not to be had in it. */
  translation(seat: Joined, language: string): Promise<{ sentences: Readonly<Record<string, string>>; isWhole: boolean } | null>
}

export function roomApi(key: string, send: typeof fetch): RoomApi {
  const call = (path: string, body: unknown, token?: string, keepalive = false) =>
    send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      credentials: 'omit',
      keepalive,
    })
  return {
    async join(body) {
      const response = await call(`/api/v1/rooms/${encodeURIComponent(key)}/attendees`, body)
      const answer = await jsonOf(response)
      // The server of this page wrote it: an answer with a token is a seat.
      if (response.ok && typeof answer.attendeeToken === 'string') return { ok: true, seat: answer as unknown as Joined }
      return { ok: false, detail: detailOf(answer) }
    },
    async post(seat, kind, body) {
      // `leave` and `cta` may be the last act of a page: keepalive lets them outlive it (a beacon cannot carry the header).
      const response = await call(`/api/v1/runs/${seat.runId}/${kind}`, body, seat.attendeeToken, kind === 'leave' || kind === 'cta')
      const answer = await jsonOf(response)
      if (response.ok) return { ok: true, answer }
      const wait = Number(response.headers.get('Retry-After'))
      return { ok: false, status: response.status, detail: detailOf(answer), waitMs: wait > 0 ? wait * 1_000 : undefined }
    },
    async translation(seat, language) {
      const headers = { Authorization: `Bearer ${seat.attendeeToken}` }
      const response = await send(`/api/v1/runs/${seat.runId}/translations/${language}`, { headers, credentials: 'omit' })
      // The server of this page wrote it.
      return response.ok ? ((await response.json()) as { sentences: Readonly<Record<string, string>>; isWhole: boolean }) : null
    },
  }
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => null)
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

function detailOf({ detail }: Readonly<Record<string, unknown>>): string {
  return typeof detail === 'string' ? detail : ''
}
