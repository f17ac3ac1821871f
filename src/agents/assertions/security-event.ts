// Security event tokens (RFC 8417) that issuers push: by one, a provider says that a subject's approval has ended. Same trust path as
// assertions; events we do not know are ignored (RFC 8417 section 2.2).
import { z } from 'zod'
import { claimText, type Refused, refused, skewSeconds } from './signed.ts'

/** The provider no longer vouches for agents of this subject. */
export const identityRevoked = 'https://schemas.workos.com/events/agent/auth/identity/assertion/revoked'

/** A transmitter repeats what was not acknowledged; older than this it is no news. */
const ageMaxSeconds = 24 * 3_600

export interface SecurityEvent {
  issuer: string
  subject: string
  jti: string
  /** Whether it ends the approval of its subject. */
  revokes: boolean
  /** Epoch ms; from then on it would be refused anyway. */
  expiresAt: number
}

export type EventVerdict = { ok: true; event: SecurityEvent } | Refused

const subjectId = z.union([
  z.object({ format: z.literal('iss_sub'), iss: claimText, sub: claimText }),
  z.object({ format: z.literal('opaque'), id: claimText }),
])
const claims = z.object({
  iss: claimText,
  jti: claimText,
  iat: z.number(),
  aud: z.union([z.string(), z.array(z.string()).min(1)]),
  sub: claimText.optional(),
  sub_id: subjectId.optional(),
  events: z.record(z.string(), z.unknown()).refine((events) => Object.keys(events).length > 0),
})

/** Judges what the issuer `issuer` has signed. */
export function readSecurityEvent(payload: unknown, issuer: string, audiences: readonly string[], nowMs: number): EventVerdict {
  const parsed = claims.safeParse(payload)
  if (!parsed.success) return refused('invalid_assertion', 'iss, jti, iat, aud, events and sub or sub_id are needed.')
  const { iss, jti, iat, aud, sub, sub_id: subId, events } = parsed.data
  const now = nowMs / 1_000
  if (iss !== issuer) return refused('invalid_assertion', 'The issuer is not the one that signed.')
  if (![aud].flat().some((each) => audiences.includes(each))) return refused('audience_mismatch', `aud: send events for ${audiences[0]}.`)
  if (iat > now + skewSeconds || iat < now - ageMaxSeconds)
    return refused('credential_expired', 'The event is older than a day, or of the future.')
  const subject = sub ?? subjectOf(subId, issuer)
  if (subject === undefined) return refused('invalid_assertion', 'sub or sub_id must name a subject of this issuer.')
  const expiresAt = (iat + ageMaxSeconds + 1) * 1_000
  return { ok: true, event: { issuer, subject, jti, revokes: identityRevoked in events, expiresAt: Math.ceil(expiresAt) } }
}

/** RFC 9493. */
function subjectOf(id: z.output<typeof subjectId> | undefined, issuer: string): string | undefined {
  if (id === undefined) return undefined
  if (id.format === 'opaque') return id.id
  return id.iss === issuer ? id.sub : undefined
}
