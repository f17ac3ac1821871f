// Field schemas and their bounds, shared by every operation.
import { isIPv6 } from 'node:net'
import { z } from 'zod'

export const limits = {
  title: 200,
  description: 4_000,
  slides: 300,
  slideText: 20_000,
  agentNotes: 20_000,
  narration: 5_000,
  passages: 200,
  passage: 50_000,
  ctaText: 80,
  presenterName: 80,
  pronunciations: 100,
  pronounced: 60,
  pronunciation: 120,
  url: 2_048,
  message: 4_000,
  name: 200,
  guests: 500,
  tags: 10,
  tag: 40,
  utm: 100,
} as const

/** U+0000 cannot be stored by PostgreSQL, and a lone surrogate is not UTF-8: both are refused, never repaired. */
const isStorable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

/** Text of at most `max` characters, stored as it came. */
export function text(max: number) {
  return z.string().max(max).refine(isStorable, 'must be valid Unicode without U+0000.')
}

/** Text of 1..`max` characters that is not blank; trimmed. */
export function words(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'must be valid Unicode without U+0000.')
}

/** Which link somebody came by: what stands after `utm_` in its address, or `?source=`. */
export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const
const utmValue = text(limits.utm).optional()
export const utm = z.object({ source: utmValue, medium: utmValue, campaign: utmValue, term: utmValue, content: utmValue })
export type Utm = z.output<typeof utm>

/** Of the column `utm`, which only ever holds what was checked. */
export const utmOf = (column: string | null): Utm | undefined => (column === null ? undefined : utm.parse(JSON.parse(column)))

function isWebUrl(value: string): boolean {
  if (!/^https?:\/\//i.test(value)) return false
  const parsed = URL.parse(value)
  return parsed !== null && parsed.hostname !== '' && parsed.username === '' && parsed.password === ''
}

/**
 * A name of letters, digits and hyphens, or an address. URL parsers let much more through, such as `;`, `*` and `'`, which would
 * write into the policies of the pages that name the host.
 */
export function isHostName(host: string): boolean {
  if (host.startsWith('[') && host.endsWith(']')) return isIPv6(host.slice(1, -1))
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
}

/** An absolute http(s) address without user information. Whether it may be fetched is decided by `outbound/`. */
export const webUrl = text(limits.url).refine(isWebUrl, 'send an absolute http or https URL.')

/** Ids are told in lower case and taken in either: whoever compares one with a row or a running talk compares what is stored. */
export const uuid = z.uuid().toLowerCase()
/** An id in an address, where what can be no id is as unknown as one that nobody has. */
export const knownBy = z.string().toLowerCase()

/** A count limit as the spec types it: `number`, not `integer`. */
export function countLimit(max: number, byDefault = 10) {
  return z.number().multipleOf(1).min(1).max(max).default(byDefault)
}
