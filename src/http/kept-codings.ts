// Compressed forms of public documents, kept by what they encode: /openapi.json is the same bytes for everybody, and compressing it
// again costs more than the rest of its answer.
import { hash } from 'node:crypto'
import type { Coding } from './accept.ts'

export type Encode = (bytes: Uint8Array<ArrayBuffer>, coding: Coding) => Promise<Uint8Array<ArrayBuffer>>

/** Of all kept forms together; the oldest go first. */
const keptMaxBytes = 4 * 1024 * 1024

/** `encode` with a memory. Callers of one document at once wait for the same work; a failure is not kept. */
export function keptCodings(encode: Encode, maxBytes = keptMaxBytes): Encode {
  const kept = new Map<string, { form: Promise<Uint8Array<ArrayBuffer>>; size: number }>()
  let total = 0
  const forget = (key: string) => {
    total -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }
  return (bytes, coding) => {
    const key = `${coding} ${hash('sha256', bytes, 'base64url')}`
    const known = kept.get(key)
    if (known !== undefined) return known.form
    const entry = { form: encode(bytes, coding), size: 0 }
    kept.set(key, entry)
    entry.form.then(
      ({ length }) => {
        entry.size = length
        total += length
        for (const oldest of kept.keys()) {
          if (total <= maxBytes) break
          forget(oldest)
        }
      },
      () => forget(key),
    )
    return entry.form
  }
}
